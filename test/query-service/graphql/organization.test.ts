/** The organization behind a key, its account, and what one command-line client asks for first. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { hashOf, ledger, workflowRecord } from '../../support/service/service-records.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test("getOrganization answers every field of the key's organization", async () => {
  const query =
    '{ getOrganization { organizationId displayName restrictionStatus activeStatus createdAt updatedAt tenantId } }';
  const { status, body } = await service.ask(query);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      data: {
        getOrganization: {
          organizationId: 'org_harbor',
          displayName: 'Harbor',
          restrictionStatus: 'FULL_ACCESS',
          activeStatus: 'ACTIVE',
          createdAt: '2026-08-22T12:00:00.000Z',
          updatedAt: null,
          tenantId: 1,
        },
      },
    },
  });
});

test('getOrganization answers the other organization to the other key', async () => {
  const { body } = await service.ask('{ getOrganization { displayName } }', null, service.apiKeys.ledger);
  expect(body).toEqual({ data: { getOrganization: { displayName: 'Ledger' } } });
});

test('getAccountDetails answers every field of the account behind the key', async () => {
  const query = `{ getAccountDetails { memberId displayName emailAddress organizationId memberStatus createdAt userId
    memberType updatedAt invitedAt joinedAt } }`;
  const { body } = await service.ask(query);
  expect(body.data).toEqual({
    getAccountDetails: {
      memberId: 'member_dana',
      displayName: 'Dana',
      emailAddress: 'dana@harbor.example',
      organizationId: 'org_harbor',
      memberStatus: 'JOINED',
      createdAt: '2026-09-01T12:00:00.000Z',
      userId: 'user_dana',
      memberType: 'ADMIN',
      updatedAt: null,
      invitedAt: '2026-08-31T12:00:00.000Z',
      joinedAt: '2026-09-01T12:00:00.000Z',
    },
  });
});

test('getAccountDetails is null for a key without a member', async () => {
  const { body } = await service.ask('{ getAccountDetails { memberId } }', null, service.apiKeys.ledger);
  expect(body).toEqual({ data: { getAccountDetails: null } });
});

test('getAccountDetails is null for a member of another organization', async () => {
  const key = await service.createKey({ ...ledger.organization, name: 'strange', memberId: 'member_dana' });
  const { body } = await service.ask('{ getAccountDetails { memberId } }', null, key);
  expect(body).toEqual({ data: { getAccountDetails: null } });
});

test('getTenantConfig answers the tenant with at least one registry', async () => {
  const query = `{ getTenantConfig { tenantId defaultDonFamily vaultGatewayUrl
    capabilitiesRegistry { chainSelector address } registries { id label type chainSelector address secretsAuthFlows }
    forwarders { chainSelector address } } }`;
  const { body } = await service.ask<{ getTenantConfig: object }>(query, null, service.apiKeys.ledger);
  expect(body.data?.getTenantConfig).toMatchObject({
    tenantId: 2,
    registries: [{ id: 'private', secretsAuthFlows: ['BROWSER'] }],
  });
});

test('getCreOrganizationInfo answers the addresses that own workflows', async () => {
  const { body } = await service.ask('{ getCreOrganizationInfo { orgId derivedWorkflowOwners } }');
  expect(body.data).toEqual({
    getCreOrganizationInfo: { orgId: 'org_harbor', derivedWorkflowOwners: ['ab'.repeat(20), 'cd'.repeat(20)] },
  });
});

test('getCreOrganizationInfo answers one address before there is a workflow', async () => {
  const organizationId = 'org_new';
  await service.writer.putOrganization({ ...ledger.organization, organizationId });
  const key = await service.createKey({ organizationId, name: 'first' });
  const ask = () => service.ask('{ getCreOrganizationInfo { derivedWorkflowOwners } }', null, key);
  const { body } = await ask();
  expect(body.data).toEqual({
    getCreOrganizationInfo: { derivedWorkflowOwners: [expect.stringMatching(/^[0-9a-f]{40}$/)] },
  });
  await service.writer.putWorkflows([workflowRecord(7, { organizationId, ownerAddress: hashOf(7).slice(0, 40) })]);
  expect((await ask()).body.data).toEqual({
    getCreOrganizationInfo: { derivedWorkflowOwners: [hashOf(7).slice(0, 40)] },
  });
});
