/** View of `account`. */
import { describe, expect, it } from 'vitest';
import {
  type AccountView,
  accountMessage,
  refusedAccountMessage,
} from '../../../../../src/bot/commands/words/account/view.ts';
import type { ListedKey } from '../../../../../src/bot/views/home/home.ts';
import { AppError } from '../../../../../src/shared/errors.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';
import { ago, now } from '../../../../support/service/service-data.ts';

const organization = {
  organizationId: 'org_harbor',
  displayName: 'Harbor Markets',
  restrictionStatus: 'FULL_ACCESS',
  activeStatus: 'ACTIVE',
} as const;
const member = {
  memberId: 'm-1',
  displayName: 'Ada',
  memberStatus: 'JOINED',
  memberType: 'ADMIN',
  createdAt: ago(60 * 24),
} as const;

const key: ListedKey = {
  endpoint: 'https://api.example.com/graphql',
  keyHint: 'wfq_0123456789abc…7c2d',
  organizationName: 'Harbor Markets',
  connectedBy: 'UADA',
  connectedAt: now - 3 * 86_400_000,
  checkedAt: null,
  refusedSince: null,
  isListed: true,
};

function account(overrides: Partial<AccountView> = {}): AccountView {
  return { organization, member, provenance: { source: 'live', asOf: now, missing: [] }, key, now, ...overrides };
}

const textOf = (overrides: Partial<AccountView>) => accountMessage(account(overrides)).text;

describe('the account', () => {
  it('names the organization, its access, the member and their role in words', () => {
    const text = textOf({});
    expect(text).toContain(':white_check_mark: Organization Harbor Markets\n• State: active\n• Access: full access');
    expect(text).toContain(
      ':white_check_mark: The API key belongs to the member Ada\n• State: joined\n• Role: administrator\n• Since: <!date',
    );
    expectGoodMessage(accountMessage(account()), ['user']);
  });

  it('does not show the member’s email address', () => {
    expect(JSON.stringify(accountMessage(account()))).not.toContain('ada@harbor.example');
  });

  it('warns if the organization is restricted or deleted, or the member left', () => {
    expect(textOf({ organization: { ...organization, restrictionStatus: 'GATED' } })).toMatch(
      /:warning: Organization .*\n.*\n• Access: restricted \(gated\)/,
    );
    expect(textOf({ organization: { ...organization, activeStatus: 'DELETED' } })).toContain('• State: deleted');
    expect(textOf({ member: { ...member, memberStatus: 'REMOVED' } })).toMatch(
      /:warning: The API key belongs to the member Ada\n• State: removed/,
    );
  });

  it('says if a key has no member, and if the service does not know', () => {
    expect(textOf({ member: null })).toContain('Member: this key belongs to none.');
    const provenance = { source: 'live', asOf: now, missing: ['the organization'] } as const;
    expect(textOf({ organization: null, provenance })).toContain('Organization: the query service did not return it.');
    expectGoodMessage(accountMessage(account({ organization: null, member: null })), ['user']);
  });

  it('shows the age of the key, who entered it, and since when it is refused', () => {
    expect(textOf({})).toMatch(
      /:white_check_mark: Key wfq_0123456789abc…7c2d\n• Entered by <@UADA> on <!date.*, 3 d ago/,
    );
    expect(textOf({ key: { ...key, checkedAt: now } })).toMatch(/Last checked <!date/);
    expect(textOf({ key: { ...key, refusedSince: now } })).toMatch(/:warning: Key .*\n.*\n• Refused since <!date/);
    expect(textOf({ key: null })).toContain('Key: the bot’s default key');
  });

  it('of a refused key shows the last known facts and the next step', () => {
    const error = new AppError('unauthorized', 'The query service refused this key.', {
      hint: 'Renew it.',
      since: now,
    });
    const message = refusedAccountMessage({ key, error, now });
    expect(message.text).toMatch(/refused this key\. Renew it\..*Harbor Markets.*Refused since/s);
    expect(JSON.stringify(message.blocks)).toContain('"cmd:open:connect"');
    expectGoodMessage(message, ['user']);
  });

  it('names the facts that the service did not give', () => {
    expect(textOf({ member: { ...member, memberType: null, createdAt: '' } })).toMatch(/Role: not reported\n• Id: m-1/);
  });

  it.each(hostileStrings('text'))('%s in every name is inert and fits', (_id, text) => {
    const named = { ...organization, displayName: text, organizationId: text };
    expectGoodMessage(
      accountMessage(account({ organization: named, member: { ...member, displayName: text, memberId: text } })),
      ['user'],
    );
    const error = new AppError('unauthorized', 'No.');
    expectGoodMessage(refusedAccountMessage({ key: { ...key, organizationName: text }, error, now }), ['user']);
  });
});
