/** Reads a submitted modal into the values that a form takes. */

import type { FormValues } from '../../../commands/framework/command.ts';
import { isChannelId } from '../../../domain/channel-id.ts';
import type { Person } from '../../../domain/person.ts';
import { parseCallbackId, parseMetadata } from '../../../views/blocks/modal.ts';
import { isRecord, type JsonRecord, readRecord, readText } from '../../json-record.ts';
import { readPerson } from '../middleware/read-payload.ts';

export type SubmittedView = {
  readonly actor: Person;
  readonly command: string;
  readonly values: FormValues;
  readonly viewId: string;
  /** Of what the view said: submitted twice it is the same. */
  readonly hash: string;
  /** Where the modal was opened, as the person's own machine says: good for a message to that very person alone. */
  readonly channelId: string | undefined;
};

/** @param teamId from the context that `authorize` made @returns undefined for what is no form of ours */
export function readSubmission(body: JsonRecord, teamId: unknown): SubmittedView | undefined {
  const view = readRecord(body['view']);
  const actor = readPerson(teamId, readRecord(body['user'])['id']);
  const command = parseCallbackId(readText(view, 'callback_id') ?? '');
  const viewId = readText(view, 'id');
  if (!actor || command === undefined || viewId === undefined) return undefined;
  const { channelId, carries } = parseMetadata(readText(view, 'private_metadata') ?? '');
  return {
    actor,
    command,
    values: { ...readValues(readRecord(readRecord(view['state'])['values'])), ...carries },
    viewId,
    hash: readText(view, 'hash') ?? '',
    channelId: isChannelId(channelId) ? channelId : undefined,
  };
}

/** One input a block; what was left empty is not there. */
function readValues(state: JsonRecord): FormValues {
  const values = Object.entries(state).flatMap(([blockId, block]) => {
    const [element] = Object.values(readRecord(block));
    const value = readValue(readRecord(element));
    return value === undefined ? [] : [[blockId, value] as const];
  });
  return Object.fromEntries(values);
}

/** https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload: beside its type, an element tells one thing. */
function readValue({ type: _, ...element }: JsonRecord): string | readonly string[] | undefined {
  const [value] = Object.values(element);
  if (Array.isArray(value)) return value.flatMap((each) => textOf(each) ?? []);
  return textOf(value);
}

/** A text, a number as text, or the value of an option. */
function textOf(value: unknown): string | undefined {
  if (isRecord(value)) return readText(value, 'value');
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
