/** The organization and the member behind a workspace's key. */

import type { Operation } from '../cache/answers.ts';
import { badAnswer } from '../client/fault.ts';
import { AccountDocument, GetOrganizationDocument } from '../generated/operations.ts';
import type { Account, Organization } from '../results.ts';
import { readRow, rowTypes } from '../rows.ts';

const freshMs = 10 * 60_000;

export const organizationOperation: Operation<Organization> = {
  name: 'organization',
  parameters: [],
  subject: 'the organization',
  freshMs: () => freshMs,
  read: async (ask) => {
    const reply = await ask(GetOrganizationDocument, {});
    const data = readRow(rowTypes.organization, reply.part('getOrganization'));
    if (!data) throw badAnswer('no organization in it');
    return { data, missing: [] };
  },
};

export const accountOperation: Operation<Account> = {
  name: 'account',
  parameters: [],
  subject: 'the account',
  freshMs: () => freshMs,
  read: async (ask) => {
    const reply = await ask(AccountDocument, {});
    const member = readRow(rowTypes.member, reply.part('getAccountDetails')) ?? null;
    const organization = readRow(rowTypes.organization, reply.part('getOrganization')) ?? null;
    if (!member && !organization) throw badAnswer('neither an account nor an organization in it');
    // Null without an error means that the key has no member, or no organization.
    const isMissing = (part: 'getAccountDetails' | 'getOrganization') => reply.hasFailed(part) || reply.part(part);
    const missing = [
      ...(!member && isMissing('getAccountDetails') ? ['the account'] : []),
      ...(!organization && isMissing('getOrganization') ? ['the organization'] : []),
    ];
    return { data: { member, organization }, missing };
  },
};
