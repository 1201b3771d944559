/** The schema language of Block Kit: allowed values as data. */

export type Surface = 'message' | 'modal' | 'home';

/** A reason for Slack to refuse a request. */
export type BlockProblem = {
  /** JSON pointer, such as `/blocks/0/text/text`. */
  readonly pointer: string;
  /** The reason, in Slack's words if they are known. */
  readonly reason: string;
};

export type Schema =
  | { readonly is: 'string'; readonly unitsMin: number; readonly unitsMax: number; readonly pattern?: RegExp }
  | { readonly is: 'choice'; readonly of: readonly (string | number)[] }
  | { readonly is: 'number'; readonly min: number; readonly max: number; readonly isInteger: boolean }
  | { readonly is: 'boolean' }
  | { readonly is: 'list'; readonly of: Schema; readonly min: number; readonly max: number }
  | ({ readonly is: 'record' } & Members)
  /** A text object, of one of these types. */
  | { readonly is: 'text'; readonly types: readonly TextKind[]; readonly unitsMax: number }
  /** An object with a `type`: an entry of a catalogue, of one of these types. */
  | { readonly is: 'entry'; readonly of: CatalogueName; readonly types: readonly string[] };

type TextKind = 'plain_text' | 'mrkdwn';

/** Blocks, elements and rich text share names (`image`, `url`), so each has its own catalogue. */
export type CatalogueName = 'blocks' | 'elements' | 'parts';

export type Members = {
  readonly required?: Readonly<Record<string, Schema>>;
  readonly optional?: Readonly<Record<string, Schema>>;
  /** At least one of these is required. */
  readonly anyOf?: readonly string[];
  /** Exactly one of these is required. */
  readonly oneOf?: readonly string[];
};

export type Entry = Members & { readonly surfaces: readonly Surface[] };
export type Catalogue = Readonly<Record<string, Entry>>;

const unlimited = Number.MAX_SAFE_INTEGER;
const webAddress = /^https?:\/\/[^\s<>]+$/i;

export const yesOrNo: Schema = { is: 'boolean' };

/** @param unitsMin 1 if Slack refuses an empty text */
export function string(unitsMax = unlimited, unitsMin = 1): Schema {
  return { is: 'string', unitsMin, unitsMax };
}

export function matching(pattern: RegExp, unitsMax = unlimited): Schema {
  return { is: 'string', unitsMin: 1, unitsMax, pattern };
}

/** An address that a browser opens, without `javascript:` and similar schemes. */
export function url(unitsMax: number): Schema {
  return matching(webAddress, unitsMax);
}

export function choice(...of: readonly (string | number)[]): Schema {
  return { is: 'choice', of };
}

export function integer(min = -unlimited, max = unlimited): Schema {
  return { is: 'number', min, max, isInteger: true };
}

export const anyNumber: Schema = { is: 'number', min: -Infinity, max: Infinity, isInteger: false };

export function list(of: Schema, max = unlimited, min = 1): Schema {
  return { is: 'list', of, min, max };
}

export function record(members: Members): Schema {
  return { is: 'record', ...members };
}

export function plainText(unitsMax: number): Schema {
  return { is: 'text', types: ['plain_text'], unitsMax };
}

export function anyText(unitsMax: number): Schema {
  return { is: 'text', types: ['plain_text', 'mrkdwn'], unitsMax };
}

export function entry(of: CatalogueName, ...types: readonly string[]): Schema {
  return { is: 'entry', of, types };
}
