/** What a slot posts, as it is kept: written once, and posted as it was written however often it takes. */
import { randomUUID } from 'node:crypto';
import type { Message } from '../views/kit/message.ts';
import type { DigestMessages } from './ports.ts';

export const rootName = 'root';

/** By the name of the part; the root first. */
export type Payload = ReadonlyMap<string, Message>;

export type KeptPayload = {
  readonly text: string;
  /** A part's id says nothing of what it is: everybody in the workspace can read a message's metadata. */
  readonly parts: readonly { readonly name: string; readonly opaqueId: string }[];
};

export function payloadOf({ root, replies }: DigestMessages): KeptPayload {
  const named = [[rootName, root], ...replies.map(({ name, message }) => [name, message] as const)] as const;
  const parts = named.map(([name]) => ({ name, opaqueId: randomUUID() }));
  return { text: JSON.stringify(named), parts };
}

/** @param text of `payloadOf` */
export function readPayload(text: string): Payload {
  const named: readonly (readonly [string, Message])[] = JSON.parse(text);
  return new Map(named);
}
