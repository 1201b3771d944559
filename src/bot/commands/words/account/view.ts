/** View of `account`: the organization, the member and the age of the key. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { AppError } from '../../../../shared/errors.ts';
import type { Provenance } from '../../../domain/provenance.ts';
import type { AccountQuery, OrganizationFieldsFragment } from '../../../query/generated/operations.ts';
import { actions, context } from '../../../views/blocks/blocks.ts';
import { answerActions, commandButton, connectButton } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import {
  bold,
  bulleted,
  code,
  date,
  emoji,
  paragraph,
  plain,
  rich,
  trusted,
  user,
} from '../../../views/blocks/rich-text.ts';
import { markup } from '../../../views/format/mrkdwn.ts';
import { sourceLines, staleLine } from '../../../views/format/provenance.ts';
import { accountLabel } from '../../../views/format/status-labels.ts';
import { duration } from '../../../views/format/time.ts';
import type { ListedKey } from '../../../views/home/home.ts';

export type AccountView = {
  /** Null if the service has none or could not say; the provenance distinguishes them. */
  readonly organization: OrganizationFieldsFragment | null;
  readonly member: NonNullable<AccountQuery['getAccountDetails']> | null;
  readonly provenance: Provenance;
  /** Null if the workspace has stored none and the default key is used. */
  readonly key: ListedKey | null;
  readonly now: number;
};

export function accountMessage(account: AccountView): Message {
  const { provenance, now } = account;
  return message([
    ...staleLine(provenance, now),
    organizationBlock(account),
    memberBlock(account),
    keyBlock(account),
    context([markup`The key itself is never shown.`, ...sourceLines(provenance, now)]),
    answerActions('account', [commandButton({ label: 'List workflows', line: 'list', mode: 'open' })]),
  ]);
}

export type RefusedAccount = Pick<AccountView, 'now'> & { readonly key: ListedKey; readonly error: AppError };

/** For a key that the service refuses, or whose endpoint is no longer listed. */
export function refusedAccountMessage({ key, error, now }: RefusedAccount): Message {
  const since = key.refusedSince ?? error.since ?? now;
  const organization = key.organizationName === null ? trusted('not known') : bold(key.organizationName);
  return message([
    paragraph(rich`${emoji('warning')} ${plain(error.publicMessage)} ${plain(error.hint ?? '')}`),
    paragraph(rich`${bold('Organization when the key was entered')}: ${organization}.`),
    keyBlock({ key: { ...key, refusedSince: since }, now }),
    actions([connectButton()]),
  ]);
}

const minuteMs = 60_000;

/** Shows who gave the key and its age, so that it can be renewed in time. */
function keyBlock({ key, now }: Pick<AccountView, 'key' | 'now'>): KnownBlock {
  if (key === null) return paragraph(rich`${bold('Key')}: the bot’s default key; this workspace has none of its own.`);
  const { keyHint, connectedBy, connectedAt, checkedAt, refusedSince, isListed } = key;
  const which = keyHint === '' ? [] : rich` ${code(keyHint)}`;
  const ageMs = now - connectedAt;
  const age = ageMs < minuteMs ? 'just now' : `${duration(ageMs)} ago`;
  const isTaken = refusedSince === null;
  return bulleted(rich`${emoji(isTaken ? 'white_check_mark' : 'warning')} Key${which}`, [
    rich`Entered by ${user(connectedBy)} on ${date(connectedAt, 'day')}, ${trusted(age)}`,
    ...(isTaken ? [] : [isListed ? rich`Refused since ${date(refusedSince)}` : rich`No longer used`]),
    ...(isTaken && checkedAt !== null ? [rich`Last checked ${date(checkedAt)}`] : []),
  ]);
}

function organizationBlock({ organization, provenance }: AccountView): KnownBlock {
  if (organization === null)
    return paragraph(rich`${bold('Organization')}: ${absence(provenance, 'the organization')}`);
  const { displayName, organizationId, restrictionStatus, activeStatus } = organization;
  const isServed = restrictionStatus === 'FULL_ACCESS' && activeStatus === 'ACTIVE';
  return bulleted(rich`${emoji(isServed ? 'white_check_mark' : 'warning')} Organization ${bold(displayName)}`, [
    rich`State: ${word(activeStatus)}`,
    rich`Access: ${word(restrictionStatus)}`,
    rich`Id: ${code(organizationId)}`,
  ]);
}

/** Leaves out the email address: an answer may be shared in a channel. */
function memberBlock({ member, provenance }: AccountView): KnownBlock {
  if (member === null) return paragraph(rich`${bold('Member')}: ${absence(provenance, 'the account')}`);
  const { displayName, memberStatus, memberType, createdAt, memberId } = member;
  const isServed = memberStatus === 'JOINED';
  const since = Date.parse(createdAt);
  return bulleted(
    rich`${emoji(isServed ? 'white_check_mark' : 'warning')} The API key belongs to the member ${bold(displayName)}`,
    [
      rich`State: ${word(memberStatus)}`,
      rich`Role: ${memberType === null ? trusted('not reported') : word(memberType)}`,
      ...(Number.isFinite(since) ? [rich`Since: ${date(since, 'day')}`] : []),
      rich`Id: ${code(memberId)}`,
    ],
  );
}

function word(value: string): RichTextElement {
  return plain(accountLabel(value), 60);
}

/** Distinguishes a missing member from a missing answer. */
function absence({ missing }: Provenance, part: string): RichTextElement {
  return trusted(missing.includes(part) ? 'the query service did not return it.' : 'this key belongs to none.');
}
