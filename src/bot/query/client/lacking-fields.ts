/** Learns from refusals which fields a service lacks, and removes them from every document that it is sent. */
import {
  type DefinitionNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { QueryError } from './reply.ts';

/** The documents of one workspace, without the fields that its service is known to lack. */
export type Adaptation = {
  readonly textOf: (document: DocumentNode) => string;
  /** @returns whether the errors name a lacking field that was not known */
  readonly learn: (errors: readonly QueryError[]) => boolean;
  /**
   * For a refusal that names no field.
   * @returns the document without the fields that the bot can do without, and a function that remembers them as lacking; undefined if
   *   the document has none of them
   */
  readonly trialOf: (document: DocumentNode) => Trial | undefined;
};

export type Trial = { readonly text: string; readonly remember: () => void };

/** Beyond the specification, and selected in lists that the bot cannot do without. */
const optionalFields: readonly LackingField[] = [{ name: 'detailedStatus', type: 'WorkflowExecution' }];

const lackingMax = 50;

/** @returns the text of a document; prints each document once */
export function createPrinter(): (document: DocumentNode) => string {
  const texts = new WeakMap<DocumentNode, string>();
  return (document) => {
    const text = texts.get(document) ?? print(document);
    texts.set(document, text);
    return text;
  };
}

/** @param printFull prints an unchanged document; shared by all workspaces */
export function createAdaptation(printFull: (document: DocumentNode) => string): Adaptation {
  let lacking: readonly LackingField[] = [];
  let texts = new WeakMap<DocumentNode, string>();
  const isKnown = ({ name, type }: LackingField) => lacking.some((field) => field.name === name && field.type === type);
  const remember = (found: readonly LackingField[]) => {
    lacking = [...lacking, ...found.filter((field) => !isKnown(field))];
    texts = new WeakMap();
  };
  return {
    textOf: (document) => {
      if (lacking.length === 0) return printFull(document);
      const text = texts.get(document) ?? print(withoutFields(document, lacking));
      texts.set(document, text);
      return text;
    },
    learn: (errors) => {
      const found = errors.flatMap(({ message }) => lackingFieldOf(message) ?? []).filter((field) => !isKnown(field));
      if (found.length === 0 || lacking.length + found.length > lackingMax) return false;
      remember(found);
      return true;
    },
    trialOf: (document) => {
      const isSelected = (field: LackingField) =>
        fragmentsOf(document).some((each) => typeOf(each) === field.type && selects(each, field.name));
      const found = optionalFields.filter((field) => !isKnown(field) && isSelected(field));
      if (found.length === 0) return undefined;
      return { text: print(withoutFields(document, [...lacking, ...found])), remember: () => remember(found) };
    },
  };
}

/** In the wordings of graphql-js, gqlparser, graphql-ruby, graphql-java, Hot Chocolate, Hasura and async-graphql. */
const unknownField =
  /\bfield ["'`](\w+)["'`] (?:(?:doesn't|does not) exist |not found )?(?:on|in) (?:the )?type:? ["'`](\w+)["'`]/i;

/** Reads the refusal of an unknown field, and that of a field that is an object here. */
function lackingFieldOf(message: string): LackingField | undefined {
  const unknown = unknownField.exec(message);
  if (unknown?.[1] !== undefined) return { name: unknown[1], type: unknown[2] };
  const object = /Field ["'](\w+)["'] of type ["'][^"']*["'] must have a selection of subfields/.exec(message);
  return object?.[1] === undefined ? undefined : { name: object[1], type: undefined };
}

export type LackingField = {
  readonly name: string;
  /** The type that lacks it; undefined if unknown. */
  readonly type: string | undefined;
};

/**
 * Removes a field of a known type from the fragments on that type if one selects it, otherwise wherever it is selected: a
 * document does not say what type its other selections have. An empty selection becomes `__typename`.
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

/** A service refuses unused variables and fragments. */
export function withoutUnused(document: DocumentNode): DocumentNode {
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
  const shortened = operations.map(
    (operation): OperationDefinitionNode => ({
      ...operation,
      variableDefinitions: (operation.variableDefinitions ?? []).filter(({ variable }) =>
        variables.has(variable.name.value),
      ),
    }),
  );
  return { kind: Kind.DOCUMENT, definitions: [...shortened, ...used] };
}
