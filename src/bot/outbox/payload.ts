/** Serialises the messages of an occurrence. The payload is written once, and every attempt posts the same text. */
import { randomUUID } from 'node:crypto';
import type { Message } from '../views/blocks/message.ts';
import type { DigestMessages } from './ports.ts';

export const rootName = 'root';

/** By the name of the message; the root first. */
export type Payload = ReadonlyMap<string, Message>;

export type KeptPayload = {
  readonly text: string;
  /** A message's id says nothing of what it is: everybody in the workspace can read a message's metadata. */
  readonly messages: readonly { readonly name: string; readonly opaqueId: string }[];
  readonly payload: Payload;
};

export function payloadOf({ root, replies }: DigestMessages): KeptPayload {
  const named = [[rootName, root], ...replies.map(({ name, message }) => [name, message] as const)] as const;
  const messages = named.map(([name]) => ({ name, opaqueId: randomUUID() }));
  return { text: JSON.stringify(named), messages, payload: new Map(named) };
}

/** @param text of `payloadOf`, of whichever version @returns undefined where it is in a form that this one does not know */
export function readPayload(text: string): Payload | undefined {
  const named: unknown = JSON.parse(text);
  return Array.isArray(named) && named.every(isNamed) ? new Map(named) : undefined;
}

function isNamed(one: unknown): one is readonly [string, Message] {
  if (!Array.isArray(one) || typeof one[0] !== 'string') return false;
  const message: unknown = one[1];
  if (typeof message !== 'object' || message === null) return false;
  return 'text' in message && typeof message.text === 'string' && 'blocks' in message && Array.isArray(message.blocks);
}
