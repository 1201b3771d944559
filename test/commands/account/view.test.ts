/** The account. */
import { describe, expect, it } from 'vitest';
import { type AccountView, accountMessage } from '../../../src/commands/account/view.ts';
import { hostileStrings } from '../../support/hostile.ts';
import { expectGoodMessage } from '../../support/message-rules.ts';
import { ago, now } from '../../support/service-data.ts';

const organization = {
  organizationId: 'org_harbor',
  displayName: 'Harbor Markets',
  restrictionStatus: 'FULL_ACCESS',
  activeStatus: 'ACTIVE',
} as const;
const member = {
  memberId: 'm-1',
  displayName: 'Ada',
  emailAddress: 'ada@harbor.example',
  organizationId: 'org_harbor',
  memberStatus: 'JOINED',
  memberType: 'ADMIN',
  createdAt: ago(60 * 24),
} as const;

function account(overrides: Partial<AccountView> = {}): AccountView {
  return { organization, member, provenance: { source: 'live', asOf: now, missing: [] }, now, ...overrides };
}

const textOf = (overrides: Partial<AccountView>) => accountMessage(account(overrides)).text;

describe('the account', () => {
  it('names the organization, its access, the member and their role in words', () => {
    const text = textOf({});
    expect(text).toContain(':white_check_mark: Organization Harbor Markets\n• State: active\n• Access: full access');
    expect(text).toContain(':white_check_mark: Member Ada\n• State: joined\n• Role: administrator\n• Since: <!date');
    expectGoodMessage(accountMessage(account()));
  });

  it('keeps the address of the member to itself', () => {
    expect(JSON.stringify(accountMessage(account()))).not.toContain('ada@harbor.example');
  });

  it('warns where the organization is restricted or gone, or the member left', () => {
    expect(textOf({ organization: { ...organization, restrictionStatus: 'GATED' } })).toMatch(
      /:warning: Organization .*\n.*\n• Access: restricted \(gated\)/,
    );
    expect(textOf({ organization: { ...organization, activeStatus: 'DELETED' } })).toContain('• State: deleted');
    expect(textOf({ member: { ...member, memberStatus: 'REMOVED' } })).toMatch(
      /:warning: Member Ada\n• State: removed/,
    );
  });

  it('says that nobody is behind a key, and when the service could not say', () => {
    expect(textOf({ member: null })).toContain('Member: there is none behind this key.');
    const provenance = { source: 'live', asOf: now, missing: ['the organization'] } as const;
    expect(textOf({ organization: null, provenance })).toContain('Organization: the query service could not say.');
    expectGoodMessage(accountMessage(account({ organization: null, member: null })));
  });

  it('says what is not told', () => {
    expect(textOf({ member: { ...member, memberType: null, createdAt: '' } })).toMatch(/Role: not told\n• Id: m-1/);
  });

  it.each(hostileStrings('text'))('%s in every name is inert and fits', (_id, text) => {
    const named = { ...organization, displayName: text, organizationId: text };
    expectGoodMessage(
      accountMessage(account({ organization: named, member: { ...member, displayName: text, memberId: text } })),
    );
  });
});
