/** Fields a service does not have: learnt from its refusal, then left out of every document it is sent. */
import { type DocumentNode, print } from 'graphql';
import type { QueryError } from './graphql-errors.ts';
import { type LackingField, withoutFields } from './without-fields.ts';

/** What one workspace's service is known to lack, and the texts it is sent for that. */
export type Adaptation = {
  readonly textOf: (document: DocumentNode) => string;
  /** @returns whether the errors name a field that was not known to be lacking */
  readonly learn: (errors: readonly QueryError[]) => boolean;
};

const lackingMax = 50;

/** @returns documents in print, each printed once */
export function createPrinter(): (document: DocumentNode) => string {
  const texts = new WeakMap<DocumentNode, string>();
  return (document) => {
    const text = texts.get(document) ?? print(document);
    texts.set(document, text);
    return text;
  };
}

/** @param printFull the text of a document as it stands, shared by all workspaces */
export function createAdaptation(printFull: (document: DocumentNode) => string): Adaptation {
  let lacking: readonly LackingField[] = [];
  let texts = new WeakMap<DocumentNode, string>();
  return {
    textOf: (document) => {
      if (lacking.length === 0) return printFull(document);
      const text = texts.get(document) ?? print(withoutFields(document, lacking));
      texts.set(document, text);
      return text;
    },
    learn: (errors) => {
      const isKnown = ({ name, type }: LackingField) =>
        lacking.some((field) => field.name === name && field.type === type);
      const found = errors.flatMap(({ message }) => lackingFieldOf(message) ?? []).filter((field) => !isKnown(field));
      if (found.length === 0 || lacking.length + found.length > lackingMax) return false;
      lacking = [...lacking, ...found];
      texts = new WeakMap();
      return true;
    },
  };
}

/** The two refusals are those of graphql-js, as the query service's rulings quote them. */
function lackingFieldOf(message: string): LackingField | undefined {
  const unknown = /Cannot query field ["'](\w+)["'] on type ["'](\w+)["']/.exec(message);
  if (unknown?.[1] !== undefined) return { name: unknown[1], type: unknown[2] };
  const object = /Field ["'](\w+)["'] of type ["'][^"']*["'] must have a selection of subfields/.exec(message);
  return object?.[1] === undefined ? undefined : { name: object[1], type: undefined };
}
