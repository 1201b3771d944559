/** Removes fields from a document, and the variables and fragments that nothing uses any more. */
import {
  type DefinitionNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

export type LackingField = {
  readonly name: string;
  /** The type that lacks it; undefined where that is not known. */
  readonly type: string | undefined;
};

/**
 * A field whose type is known goes from the fragments on that type where one selects it, else wherever it is selected:
 * a document does not say what type its other selections have. A selection left empty asks for `__typename`.
 */
export function withoutFields(document: DocumentNode, lacking: readonly LackingField[]): DocumentNode {
  const fragments = fragmentsOf(document);
  const isLacking = (name: string, fragmentType: string | undefined) =>
    lacking.some((field) => {
      if (field.name !== name) return false;
      const isInFragment = fragments.some((fragment) => typeOf(fragment) === field.type && selects(fragment, name));
      return !isInFragment || fragmentType === field.type;
    });
  const shortened = document.definitions.map((definition): DefinitionNode => {
    const fragmentType = definition.kind === Kind.FRAGMENT_DEFINITION ? typeOf(definition) : undefined;
    let depth = 0;
    return visit(definition, {
      SelectionSet: {
        enter: () => {
          depth += 1;
        },
        leave: (node) => {
          depth -= 1;
          return node.selections.length === 0 ? typenameOnly : undefined;
        },
      },
      Field: (node) => (isLacking(node.name.value, depth === 1 ? fragmentType : undefined) ? null : undefined),
    });
  });
  return withoutUnused({ ...document, definitions: shortened });
}

const typenameOnly: SelectionSetNode = {
  kind: Kind.SELECTION_SET,
  selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }],
};

function fragmentsOf(document: DocumentNode): readonly FragmentDefinitionNode[] {
  return document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
}

function typeOf(fragment: FragmentDefinitionNode): string {
  return fragment.typeCondition.name.value;
}

function selects({ selectionSet }: FragmentDefinitionNode, name: string): boolean {
  return selectionSet.selections.some((node) => node.kind === Kind.FIELD && node.name.value === name);
}

/** A service refuses variables and fragments that nothing uses. */
function withoutUnused(document: DocumentNode): DocumentNode {
  const fragments = new Map(fragmentsOf(document).map((fragment) => [fragment.name.value, fragment]));
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const variables = new Set<string>();
  const used = new Set<FragmentDefinitionNode>();
  const follow = (node: SelectionSetNode) => {
    visit(node, {
      Variable: ({ name }) => void variables.add(name.value),
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (!fragment || used.has(fragment)) return;
        used.add(fragment);
        follow(fragment.selectionSet);
      },
    });
  };
  for (const { selectionSet } of operations) follow(selectionSet);
  const kept = operations.map(
    (operation): OperationDefinitionNode => ({
      ...operation,
      variableDefinitions: (operation.variableDefinitions ?? []).filter(({ variable }) =>
        variables.has(variable.name.value),
      ),
    }),
  );
  return { kind: Kind.DOCUMENT, definitions: [...kept, ...used] };
}
