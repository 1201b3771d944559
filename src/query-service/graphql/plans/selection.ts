/** Collects the fields of an operation in the order of its reply: fragments expanded, equal keys merged, directives applied. */
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { fragmentsOf } from '../cost.ts';

/** A field of the reply. */
export type Selected = {
  /** Its name in the reply: the alias, if it has one. */
  readonly key: string;
  readonly name: string;
  /** Every field of the document with this key. */
  readonly nodes: readonly FieldNode[];
  /** Empty for a leaf. */
  readonly fields: readonly Selected[];
};

/** Values of the variables that `@include` and `@skip` read. */
export type Conditions = (variable: string) => boolean;

/** @param document valid @returns the root fields */
export function collectFields(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  conditions: Conditions,
): readonly Selected[] {
  const fragments = fragmentsOf(document);
  const collect = (sets: readonly SelectionSetNode[]): readonly Selected[] => {
    const byKey = new Map<string, FieldNode[]>();
    const add = (node: SelectionNode) => {
      if (!isIncluded(node.directives ?? [], conditions)) return;
      if (node.kind !== Kind.FIELD) {
        const set = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node.selectionSet;
        set?.selections.forEach(add);
        return;
      }
      const key = node.alias?.value ?? node.name.value;
      const known = byKey.get(key);
      if (known) known.push(node);
      else byKey.set(key, [node]);
    };
    for (const { selections } of sets) selections.forEach(add);
    return [...byKey].flatMap(([key, nodes]) => {
      const [node] = nodes;
      const own = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      return node ? [{ key, name: node.name.value, nodes, fields: collect(own) }] : [];
    });
  };
  return collect([operation.selectionSet]);
}

/** @returns the variables that decide which fields a document selects */
export function conditionVariables(document: DocumentNode): readonly string[] {
  const found = new Set<string>();
  visit(document, {
    Directive(node) {
      const value = conditionOf(node);
      if (value?.kind === Kind.VARIABLE) found.add(value.name.value);
    },
  });
  return [...found].sort();
}

function isIncluded(directives: readonly DirectiveNode[], conditions: Conditions): boolean {
  return directives.every((node) => {
    const value = conditionOf(node);
    const isSet =
      value?.kind === Kind.VARIABLE ? conditions(value.name.value) : value?.kind === Kind.BOOLEAN && value.value;
    return node.name.value === 'skip' ? !isSet : node.name.value !== 'include' || isSet;
  });
}

function conditionOf({ name, arguments: given = [] }: DirectiveNode) {
  const isCondition = name.value === 'skip' || name.value === 'include';
  return isCondition ? given.find((argument) => argument.name.value === 'if')?.value : undefined;
}
