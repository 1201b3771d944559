/** View of `audit`: entries, newest first. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import { actions, context } from '../../../views/blocks/blocks.ts';
import { cursorActions } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import {
  bold,
  bulleted,
  channel,
  date,
  emoji,
  paragraph,
  plain,
  rich,
  several,
  trusted,
  user,
  type Words,
} from '../../../views/blocks/rich-text.ts';
import { markup } from '../../../views/format/mrkdwn.ts';
import { count } from '../../../views/format/number.ts';

type Entry = {
  /** From 1, without a gap. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Slack's id; empty for the bot itself. */
  readonly userId: string;
  readonly action: string;
  readonly detail: Readonly<Record<string, string | number | boolean>>;
};

export type AuditView = {
  /** Newest first; there are more unless the last is entry 1. */
  readonly entries: readonly Entry[];
  readonly isNewest: boolean;
  /** The number of the first missing or changed entry; null if the audit is intact. */
  readonly firstBroken: number | null;
};

export function auditMessage({ entries, isNewest, firstBroken }: AuditView): Message {
  const [newest, oldest] = [entries[0], entries.at(-1)];
  if (!newest || !oldest) {
    const words = isNewest ? rich`The audit log is empty.` : rich`There are no older entries.`;
    return message([...brokenBlock(firstBroken), paragraph(words), ...buttons(isNewest, undefined)]);
  }
  return message([
    ...brokenBlock(firstBroken),
    bulleted(rich`${bold('Audit')}, newest first: ${newest.number} to ${oldest.number}`, entries.map(entryWords)),
    ...(firstBroken === null ? [context([markup`${intact}`])] : []),
    ...buttons(isNewest, oldest.number > 1 ? oldest.number : undefined),
  ]);
}

const intact =
  'Between the oldest and the newest entry, none is missing or changed. If the newest were deleted, only the bot’s log shows it.';

function brokenBlock(firstBroken: number | null): readonly KnownBlock[] {
  if (firstBroken === null) return [];
  const words = rich`${emoji('rotating_light')} ${bold(`Entry ${count(firstBroken)} is missing or was changed outside the bot.`)} Entries from there on cannot be trusted; the entries before it are intact.`;
  return [paragraph(words)];
}

function buttons(isNewest: boolean, before: number | undefined): readonly KnownBlock[] {
  const elements = cursorActions({ line: 'audit', isNewest, before });
  return elements.length > 0 ? [actions([...elements])] : [];
}

function entryWords({ at, userId, action, detail }: Entry): Words {
  const { ref, ...facts } = detail;
  const who = userId === '' ? trusted('the bot itself') : idElement(userId);
  const reference = ref === undefined ? [] : rich` (${plain(String(ref))})`;
  if (action !== 'decrypt failure') return rich`${date(at)} ${who}: ${actionWords(action, facts)}${reference}`;
  // Entries of older versions have no reason.
  const reason = facts['why'] === undefined ? [] : rich`: ${plain(String(facts['why']), whyUnitsMax)}`;
  const failed = bold(`the stored ${facts['what'] ?? 'secret'} could not be decrypted`);
  return rich`${date(at)} ${who}: ${failed}${reason}${reference}`;
}

function actionWords(action: string, facts: Entry['detail']): Words {
  const factWords = Object.entries(facts).flatMap(([name, value], index) => [
    trusted(index === 0 ? ': ' : ', '),
    ...rich`${plain(name)} ${valueElements(value)}`,
  ]);
  return rich`${bold(action)}${factWords}`;
}

const whyUnitsMax = 300;

const channelsNamedMax = 10;

/** Shows ids as mentions of people and channels. */
function valueElements(value: string | number | boolean): Words {
  if (typeof value === 'boolean') return [trusted(value ? 'yes' : 'no')];
  const parts = String(value).split(', ');
  if (!parts.every((part) => channelShape.test(part))) return [idElement(String(value))];
  return several(parts.map(channel), channelsNamedMax);
}

const personShape = /^[UW][A-Z0-9]{8,30}$/;
const channelShape = /^[CG][A-Z0-9]{8,30}$/;

function idElement(value: string): RichTextElement {
  return personShape.test(value) ? user(value) : plain(value);
}
