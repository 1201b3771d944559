/** View of `connect`: the form, the confirmation and the errors, within Slack's limits. */
import { describe, expect, it } from 'vitest';
import {
  type ConnectedView,
  type ConnectForm,
  closedText,
  connectedModal,
  connectModal,
  otherText,
  refusedText,
} from '../../../../../src/bot/commands/words/connect/view.ts';
import {
  disconnectedModal,
  disconnectModal,
  notConnectedMessage,
} from '../../../../../src/bot/commands/words/disconnect/view.ts';
import { type Modal, modalView } from '../../../../../src/bot/views/blocks/modal.ts';
import type { StoredKey } from '../../../../../src/bot/views/home/home.ts';
import { modalMessage } from '../../../../../src/bot/views/notices/modal-notices.ts';
import { validateView } from '../../../../../src/shared/block-kit/validate.ts';
import { AppError } from '../../../../../src/shared/errors.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';

const endpoint = 'https://api.example.com/graphql';
const stored: StoredKey = {
  endpoint,
  keyHint: 'wfq_0123456789abc…7c2d',
  organizationName: 'Acme',
  connectedBy: 'UADA',
  connectedAt: 0,
  checkedAt: null,
  refusedSince: null,
};
const form = (more: Partial<ConnectForm> = {}) =>
  connectModal({ endpoints: [endpoint], stored: undefined, isListed: true, hasDefaultKey: false, ...more });
const connected = (more: Partial<ConnectedView> = {}) =>
  connectedModal({
    organization: {
      organizationId: 'o',
      displayName: 'Acme',
      restrictionStatus: 'FULL_ACCESS',
      activeStatus: 'ACTIVE',
    },
    stored,
    before: undefined,
    workflows: { count: 42, isAtLeast: false },
    next: ['/workflow list'],
    ...more,
  });
const textOf = (modal: Modal) => modalMessage(modal).text;
const endpoints = (count: number) =>
  Array.from({ length: count }, (_, at) => `https://${at}.${'x'.repeat(90)}.example/`);

function expectGood(modal: Modal, people: readonly 'user'[] = []) {
  expect(validateView(modalView(modal, 'C1'), 'modal')).toEqual([]);
  expectGoodMessage(modalMessage(modal), people);
}

describe('the form', () => {
  it.each([
    ['nothing stored', {}, /members of this workspace can see/, []],
    ['the bot’s default key', { hasDefaultKey: true }, /uses the bot’s default API key/, []],
    ['a key', { stored }, /Connected to Acme with the key wfq_0123456789abc…7c2d/, ['user']],
    ['a key of no use', { stored, isListed: false }, /no longer on the bot’s list .*, so the key is/, ['user']],
    ['a refused key', { stored: { ...stored, refusedSince: 1 } }, /has refused it since/, ['user']],
    [
      'a key that is too short to show',
      { stored: { ...stored, keyHint: '' } },
      /Connected to Acme with a key, entered/,
      ['user'],
    ],
  ] as const)('describes the connection: %s', (_what, more, words, people) => {
    expect(textOf(form(more))).toMatch(words);
    expectGood(form(more), people);
  });

  it('asks for a key of a listed service, and for no choice, when the service of the form is gone and one is left', () => {
    const text = textOf(form({ isUnlisted: true }));
    expect(text).toMatch(/Enter a key for a service that is listed below/);
    expect(text).not.toMatch(/choose/i);
  });

  it('shows one endpoint as text, and offers several in a menu, however long they are', () => {
    expect(textOf(form())).toContain(endpoint);
    for (const count of [2, 100]) expectGood(form({ endpoints: endpoints(count), chosen: endpoints(count)[1] ?? '' }));
    expect(JSON.stringify(form({ endpoints: endpoints(3) }))).toContain('initial_option');
  });

  it('has new input ids if the endpoint left the list, so that Slack keeps no earlier choice', () => {
    const again = JSON.stringify(form({ endpoints: endpoints(3), isUnlisted: true, round: 7 }));
    expect(again.match(/"action_id":"value:7"/g)).toHaveLength(2);
    expect(again).not.toContain('initial_option');
  });

  it('preselects no other endpoint if the stored one left the list', () => {
    const gone = 'https://gone.example/';
    expect(JSON.stringify(form({ endpoints: endpoints(3), chosen: gone }))).not.toContain('initial_option');
    expect(JSON.stringify(form({ endpoints: endpoints(3), stored: { ...stored, endpoint: gone } }))).not.toContain(
      'initial_option',
    );
  });

  it('has a box for another organization if the workspace has one', () => {
    expect(JSON.stringify(form({ stored }))).toContain('Move this workspace from Acme');
    expect(JSON.stringify(form())).not.toContain('checkboxes');
  });
});

describe('a connected workspace', () => {
  it.each([
    [{ count: 0, isAtLeast: false }, 'Connected to Acme, no workflows'],
    [{ count: 1, isAtLeast: false }, 'Connected to Acme, 1 workflow\n'],
    [{ count: 100, isAtLeast: true }, 'Connected to Acme, 100 workflows or more'],
    [null, 'Connected to Acme, number of workflows not known'],
  ])('with the workflows %j has the text “%s”', (workflows, words) => {
    expect(textOf(connected({ workflows }))).toContain(words);
    expectGood(connected({ workflows }), ['user']);
  });

  it('names the previous organization only if it was another one', () => {
    expect(textOf(connected({ before: { organizationName: 'Globex' } }))).toContain('connected to Globex');
    expect(textOf(connected({ before: { organizationName: 'Acme' } }))).not.toContain('Until now');
  });
});

describe('a refused key', () => {
  const error = (code: 'unauthorized' | 'unavailable', reason?: 'expired') =>
    new AppError(code, 'It cannot be reached.', { ...(reason && { reason }) });
  it.each([
    [error('unauthorized', 'expired'), 'key', 'has expired'],
    [error('unauthorized'), 'wfq_0123', 'incomplete'],
    [error('unauthorized'), 'another', 'did not say why'],
    [error('unavailable'), 'wfq_0123', 'It cannot be reached.'],
  ] as const)('with the error %s, entered as %s, has the text “%s”', (given, key, words) => {
    expect(refusedText(given, key)).toContain(words);
    expect(refusedText(given, key)).not.toContain('wfq_');
  });

  it('of another organization says how to move to it, with or without the box', () => {
    expect(otherText({ to: 'B', from: 'A', hasBox: true })).toContain('tick the box below');
    expect(otherText({ to: 'B', from: null, hasBox: false })).toContain('open this form again');
  });
});

it('the form to disconnect fits Slack before and after, with and without an operator’s key', () => {
  for (const hasDefaultKey of [true, false]) {
    expectGood(disconnectModal({ stored, hasDefaultKey }));
    expectGood(disconnectedModal({ stored, hasDefaultKey }));
    expectGoodMessage(notConnectedMessage(hasDefaultKey));
  }
  const anonymous = { organizationName: null, keyHint: '' };
  expect(textOf(disconnectModal({ stored: anonymous, hasDefaultKey: false }))).toContain('its organization');
});

it.each(hostileStrings('text'))('%s as the name of an organization is inert and fits', (_id, text) => {
  const organization = {
    organizationId: text,
    displayName: text,
    restrictionStatus: 'GATED',
    activeStatus: 'ACTIVE',
  } as const;
  const named = { ...stored, organizationName: text };
  expectGood(connected({ organization, stored: named, before: { organizationName: `${text}2` } }), ['user']);
  expectGood(form({ stored: named }), ['user']);
  expectGood(disconnectModal({ stored: named, hasDefaultKey: false }));
  expect(closedText(organization)).toContain('gives no data');
});
