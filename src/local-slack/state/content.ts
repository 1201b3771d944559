/** Reads and validates the content of a message that an app sent, with Slack's errors. */
import { randomBytes } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import { limits } from '../../shared/block-kit/limits.ts';
import { postedUnits } from '../../shared/block-kit/posted-units.ts';
import type { BlockProblem } from '../../shared/block-kit/schema.ts';
import { tooManyTables, validateBlocks } from '../../shared/block-kit/validate.ts';
import { type JsonRecord, parseJson, readText } from '../../shared/json.ts';

/** A refusal of what an app sent: thrown where the fault is found, answered where the call came in. */
export class Refused extends Error {
  readonly problems: readonly BlockProblem[];
  /** Further fields of the reply. */
  readonly fields: JsonRecord;

  /** @param code Slack's error */
  constructor(code: string, problems: readonly BlockProblem[] = [], fields: JsonRecord = {}) {
    super(code);
    this.problems = problems;
    this.fields = fields;
  }
}

/** `undefined` means absent; an empty list or text was sent. */
export type Content = {
  readonly text: string | undefined;
  readonly blocks: readonly KnownBlock[] | undefined;
};

/** As `readContent`, for a message that is posted or edited with a token: Slack limits its blocks in total. */
export function readPostedContent(fields: JsonRecord, textUnitsMax?: number): Content {
  const content = readContent(fields, textUnitsMax);
  const blocks = asSent(fields['blocks']);
  const isTooLong = Array.isArray(blocks) && postedUnits(blocks) > limits.message.postedUnitsMax;
  if (isTooLong) throw new Refused('msg_blocks_too_long');
  return content;
}

/** @param textUnitsMax limit for the top-level text @throws Refused */
export function readContent(fields: JsonRecord, textUnitsMax: number = limits.message.textUnitsMax): Content {
  const text = typeof fields['text'] === 'string' ? fields['text'] : undefined;
  if (text !== undefined && text.length > textUnitsMax) throw new Refused('msg_too_long');
  const attachments = asSent(fields['attachments']);
  if (Array.isArray(attachments) && attachments.length > 0) {
    throw new Refused('invalid_attachments', [
      { pointer: '/attachments', reason: 'the local Slack knows blocks only' },
    ]);
  }
  const blocks = asSent(fields['blocks']);
  if (blocks === undefined) return { text, blocks: undefined };
  if (!Array.isArray(blocks)) throw new Refused('invalid_blocks_format');
  const problems = validateBlocks(blocks, 'message');
  if (problems.length > 0) throw new Refused(errorFor(problems), problems);
  const known: readonly KnownBlock[] = blocks;
  return { text, blocks: known.map(withIds) };
}

/** Returns true if there is anything to show. */
export function isEmpty(content: Content): boolean {
  return readText(content, 'text') === undefined && (content.blocks ?? []).length === 0;
}

/** Parses a form's values, which are JSON except for text. */
export function asSent(value: unknown): unknown {
  if (value === null || value === '') return undefined;
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}

/** Slack's error for a second table names attachments. */
function errorFor(problems: readonly BlockProblem[]): string {
  return problems.some(({ reason }) => reason === tooManyTables) ? 'invalid_attachments' : 'invalid_blocks';
}

/** Adds missing ids, as Slack does. */
export function withIds(block: KnownBlock): KnownBlock {
  const named = { ...block, block_id: block.block_id ?? newId() };
  if (named.type === 'actions') return { ...named, elements: named.elements.map(withActionId) };
  if (named.type === 'input') return { ...named, element: withActionId(named.element) };
  if (named.type === 'section' && named.accessory && named.accessory.type !== 'image') {
    return { ...named, accessory: withActionId(named.accessory) };
  }
  return named;
}

function withActionId<T extends { action_id?: string }>(element: T): T {
  return { ...element, action_id: element.action_id ?? newId() };
}

function newId(): string {
  return randomBytes(4).toString('base64url').slice(0, 5);
}
