/** View of `connect`: the form, the confirmation and the errors beside the inputs. */
import { hash } from 'node:crypto';
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { AppError } from '../../../../shared/errors.ts';
import { isDamagedKey } from '../../../../shared/key-shape.ts';
import type { OrganizationFieldsFragment } from '../../../query/generated/operations.ts';
import { context } from '../../../views/blocks/blocks.ts';
import { checkboxesInput, selectInput, textInput } from '../../../views/blocks/inputs.ts';
import type { Modal } from '../../../views/blocks/modal.ts';
import { bold, bulleted, code, date, emoji, paragraph, plain, rich, user } from '../../../views/blocks/rich-text.ts';
import { markup } from '../../../views/format/mrkdwn.ts';
import { counted } from '../../../views/format/number.ts';
import { accountLabel } from '../../../views/format/status-labels.ts';
import type { StoredKey } from '../../../views/home/home.ts';

export type ConnectForm = {
  /** From 1 to 100. */
  readonly endpoints: readonly string[];
  readonly stored: StoredKey | undefined;
  /** True if the configuration still lists the stored endpoint. */
  readonly isListed: boolean;
  readonly hasDefaultKey: boolean;
  /** The endpoint that the person chose, when the form opens again. */
  readonly chosen?: string;
  /** True if the endpoint of the submitted form is no longer listed. */
  readonly isUnlisted?: boolean;
  /** A new value empties the input of the key when the form opens again. */
  readonly round?: number;
};

/** Longer than any service's keys. */
const keyUnitsMax = 1000;
const nameUnitsMax = 60;

export function connectModal(form: ConnectForm): Modal {
  const { endpoints, stored, chosen, isUnlisted, round } = form;
  const [only] = endpoints;
  return {
    title: 'Connect',
    submit: { label: 'Connect', command: 'connect' },
    close: 'Cancel',
    ...(endpoints.length === 1 && only !== undefined && { carries: { endpoint: endpointId(only) } }),
    blocks: [
      ...(isUnlisted ? [paragraph(unlistedWords)] : []),
      paragraph(connectionWords(form)),
      endpointBlock(
        endpoints,
        chosen ?? stored?.endpoint ?? (isUnlisted ? undefined : only),
        isUnlisted ? round : undefined,
      ),
      textInput({
        id: 'key',
        label: 'API key',
        hint: 'The bot tests the key, then stores it encrypted. After that, only its last four characters are shown.',
        lengthMax: keyUnitsMax,
        hasFocus: true,
        ...(round !== undefined && { round }),
      }),
      ...moveBlocks(stored),
      context([markup`Create an API key on the platform’s web page: Organization, then APIs.`]),
    ],
  };
}

const unlistedWords = rich`${emoji('warning')} The query service in this form is no longer on the bot’s list of allowed services. Your key was neither sent nor stored. Enter a key for a service that is listed below.`;

/** The current connection in words. */
function connectionWords({ stored, isListed, hasDefaultKey }: ConnectForm): readonly RichTextElement[] {
  if (stored) {
    const { keyHint, connectedBy, connectedAt } = stored;
    const refused = isListed
      ? refusalWords(stored)
      : rich` ${emoji('warning')} Its query service is no longer on the bot’s list of allowed services, so the key is not used.`;
    return rich`Connected to ${organizationOf(stored)} with ${keyWords(keyHint)}, entered by ${user(connectedBy)} on ${date(connectedAt, 'day')}.${refused} A new key replaces it.`;
  }
  if (hasDefaultKey) return rich`This workspace uses the bot’s default API key. A key that you enter here replaces it.`;
  return rich`With an API key of your organization, members of this workspace can see the organization’s workflows.`;
}

function refusalWords({ refusedSince }: StoredKey): readonly RichTextElement[] {
  if (refusedSince === null) return [];
  return rich` ${emoji('warning')} The query service has refused it since ${date(refusedSince)}.`;
}

function endpointBlock(
  endpoints: readonly string[],
  chosen: string | undefined,
  round: number | undefined,
): KnownBlock {
  const [only] = endpoints;
  if (endpoints.length === 1 && only !== undefined) return paragraph(rich`${bold('Query service')}\n${plain(only)}`);
  return selectInput({
    id: 'endpoint',
    label: 'Query service',
    choices: endpoints.map((endpoint) => ({ label: endpoint, value: endpointId(endpoint) })),
    ...(chosen !== undefined && { initial: endpointId(chosen) }),
    round,
  });
}

/** @returns a short id: an endpoint may be longer than an option's value */
export function endpointId(endpoint: string): string {
  return hash('sha256', endpoint, 'base64url');
}

/** Value of the checkbox that moves the workspace to another organization. */
export const moveValue = 'move';

function moveBlocks(stored: StoredKey | undefined): readonly KnownBlock[] {
  if (stored?.organizationName == null) return [];
  const label = `Move this workspace from ${stored.organizationName} to another organization`;
  return [
    checkboxesInput({
      id: 'move',
      label: 'If the key belongs to another organization',
      isOptional: true,
      choices: [{ label, value: moveValue }],
    }),
  ];
}

export type ConnectedView = {
  readonly organization: OrganizationFieldsFragment;
  readonly stored: StoredKey;
  readonly before: Pick<StoredKey, 'organizationName'> | undefined;
  readonly workflows: { readonly count: number; readonly isAtLeast: boolean } | null;
  /** Suggested command lines, with the slash command. */
  readonly next: readonly string[];
};

export function connectedModal({ organization, stored, before, workflows, next }: ConnectedView): Modal {
  const from = before?.organizationName;
  const isMoved = from != null && from !== organization.displayName;
  const moved = isMoved ? [rich`Until now, this workspace was connected to ${bold(from, nameUnitsMax)}.`] : [];
  return {
    title: 'Connected',
    submit: null,
    close: 'Done',
    blocks: [
      bulleted(rich`${emoji('white_check_mark')} Connected to ${organizationOf(stored)}${workflowWords(workflows)}`, [
        rich`Access: ${plain(accountLabel(organization.restrictionStatus), nameUnitsMax)}`,
        rich`With ${keyWords(stored.keyHint)}, entered by ${user(stored.connectedBy)}`,
        rich`Query service: ${plain(stored.endpoint)}`,
        ...moved,
      ]),
      bulleted(
        rich`${bold('What to type next')}`,
        next.map((line) => rich`${code(line)}`),
      ),
    ],
  };
}

function workflowWords(workflows: ConnectedView['workflows']): readonly RichTextElement[] {
  if (workflows === null) return rich`, number of workflows not known`;
  const { count, isAtLeast } = workflows;
  return rich`, ${plain(isAtLeast ? `${count} workflows or more` : counted(count, 'workflow'))}`;
}

/** A short key has no hint. */
function keyWords(keyHint: string): readonly RichTextElement[] {
  return keyHint === '' ? rich`a key` : rich`the key ${code(keyHint)}`;
}

/** Explains why a working key is not accepted. */
export function closedText({ displayName, restrictionStatus, activeStatus }: OrganizationFieldsFragment): string {
  const state = accountLabel(activeStatus === 'ACTIVE' ? restrictionStatus : activeStatus);
  return `${displayName} is ${state}, so its key gives no data. Nothing was stored. Ask the platform’s support about it.`;
}

export type OtherOrganization = {
  readonly to: string;
  readonly from: string | null;
  /** True if the submitted form had the checkbox. */
  readonly hasBox: boolean;
};

export function otherText({ to, from, hasBox }: OtherOrganization): string {
  const how = hasBox ? 'tick the box below and connect again' : 'open this form again and tick its box';
  return `This key belongs to ${to}, and this workspace is connected to ${from ?? 'another organization'}. To move this workspace to ${to}, ${how}.`;
}

function organizationOf({ organizationName }: StoredKey): RichTextElement {
  return bold(organizationName ?? 'an organization', nameUnitsMax);
}

/** @param apiKey is checked, and never repeated */
export function refusedText(error: AppError, apiKey: string): string {
  return `${reasonOf(error, apiKey)} Nothing was stored.`;
}

/** @returns whether the error concerns the service, so that the key may be valid */
export function isAboutService({ code }: AppError): boolean {
  return code !== 'unauthorized';
}

function reasonOf(error: AppError, apiKey: string): string {
  if (error.code === 'unavailable') {
    return `${error.publicMessage} So this key could not be tested. Try again in a few minutes; if that does not help, tell the person who runs this bot.`;
  }
  if (isAboutService(error)) return error.publicMessage;
  if (error.reason === 'expired') return 'The query service says that this key has expired. Create a new one.';
  if (isDamagedKey(apiKey)) {
    return 'The query service refused this key, and it looks incomplete: copy all of it again.';
  }
  return 'The query service refused this key and did not say why: it may be unknown, expired or revoked, or its organization may be restricted. Try a new one; if that is refused too, ask the platform’s support.';
}
