/** Authorisation of commands by role, membership and settings. */
import { describe, expect, it } from 'vitest';
import type { GuestReaders, Membership, Need } from '../../../../src/bot/domain/role.ts';
import { testRights } from '../../../support/bot/authorise.ts';

const onlyAdmin = 'Only bot admins can do that.';
const onlyOperator = 'Only bot operators and bot admins can do that.';
const allowed = 'allowed';
const noGuests = 'As a guest of this workspace, you cannot use this bot.';
const noOthers =
  'This bot answers only members of this workspace, and Slack does not list you as one. Ask a member of the workspace to run the command for you.';

describe('a person', () => {
  it.each<[Membership, 'operator' | 'admin' | undefined, Record<Need, string>]>([
    ['member', undefined, { reader: allowed, operator: onlyOperator, admin: onlyAdmin }],
    ['member', 'operator', { reader: allowed, operator: allowed, admin: onlyAdmin }],
    ['member', 'admin', { reader: allowed, operator: allowed, admin: allowed }],
    ['admin', undefined, { reader: allowed, operator: allowed, admin: allowed }],
    ['guest', 'admin', { reader: noGuests, operator: noGuests, admin: noGuests }],
    ['single_channel_guest', 'admin', { reader: noGuests, operator: noGuests, admin: noGuests }],
    ['external', 'admin', { reader: noOthers, operator: noOthers, admin: noOthers }],
  ])('who is a %s with the granted role %s has the rights of both', async (membership, role, expected) => {
    const { may, grant, memberships } = await testRights();
    memberships.set('U1', membership);
    if (role) await grant('U1', role);
    for (const [needs, words] of Object.entries(expected)) {
      expect([needs, (await may('U1', needs as Need))[0]]).toEqual([needs, words]);
    }
  });

  it('who is deactivated has no right, whatever role was granted', async () => {
    const { may, grant, memberships } = await testRights();
    memberships.set('U1', 'deactivated');
    await grant('U1', 'admin');
    const words = expect.stringContaining('deactivated');
    expect((await may('U1', 'admin'))[0]).toEqual(words);
    expect((await may('U1', 'operator'))[0]).toEqual(words);
    expect((await may('U1', 'reader'))[0]).toEqual(words);
  });

  it.each<[Membership, GuestReaders, Record<Need, string>]>([
    ['guest', 'multi_channel', { reader: allowed, operator: onlyOperator, admin: onlyAdmin }],
    ['single_channel_guest', 'multi_channel', { reader: noGuests, operator: noGuests, admin: noGuests }],
    ['guest', 'all', { reader: allowed, operator: onlyOperator, admin: onlyAdmin }],
    ['single_channel_guest', 'all', { reader: allowed, operator: onlyOperator, admin: onlyAdmin }],
    ['external', 'all', { reader: noOthers, operator: noOthers, admin: noOthers }],
  ])(
    'who is a %s has at most read access if guest readers are %s, whatever role was granted',
    async (membership, guests, expected) => {
      const { may, grant, memberships, store } = await testRights();
      memberships.set('U1', membership);
      await store.settings.change('T1', { guestReaders: guests }, 'UADMIN', 1);
      await grant('U1', 'admin');
      for (const [needs, words] of Object.entries(expected)) {
        expect([needs, (await may('U1', needs as Need))[0]]).toEqual([needs, words]);
      }
    },
  );

  it('whose profile Slack does not return has no right', async () => {
    const { may, grant } = await testRights();
    await grant('U1', 'admin');
    const words = expect.stringContaining('Slack did not say what you may do');
    expect((await may('U1', 'admin'))[0]).toEqual(words);
    expect((await may('U1', 'operator'))[0]).toEqual(words);
    expect((await may('U1', 'reader'))[0]).toEqual(words);
  });
});

describe('reading', () => {
  it('waits for Slack once, and is then allowed from the cache', async () => {
    const { may, memberships } = await testRights();
    memberships.set('U1', 'admin');
    expect(await may('U1', 'reader')).toEqual([allowed, 1]);
    expect(await may('U1', 'reader')).toEqual([allowed, 1]);
  });

  it('is allowed in the chosen channels, and to operators and admins everywhere', async () => {
    const { may, grant, memberships, store, rules } = await testRights();
    await store.settings.change('T1', { readerChannels: ['C1'] }, 'UADMIN', 1);
    rules.forget('T1');
    for (const userId of ['U1', 'U2']) memberships.set(userId, 'member');
    await grant('U2', 'operator');
    expect((await may('U1', 'reader', 'C1'))[0]).toBe(allowed);
    for (const elsewhere of ['C2', 'D1']) {
      expect((await may('U1', 'reader', elsewhere))[0]).toContain('only in the channels that a bot admin chose');
      expect((await may('U2', 'reader', elsewhere))[0]).toBe(allowed);
    }
  });
});

describe('a refusal', () => {
  const member = { teamId: 'T1', userId: 'U1', channelId: 'C1' };

  it('names the people who can grant the right', async () => {
    const { authorise, adminIds, grant, memberships } = await testRights();
    memberships.set('U1', 'member');
    await grant('UEVE', 'admin');
    await grant('UBEN', 'operator');
    await expect(authorise({ name: 'settings', needs: 'admin' }, member)).rejects.toMatchObject({
      code: 'forbidden',
      hint: expect.stringContaining('to make you a bot admin'),
      isForAdmins: true,
    });
    expect(await adminIds('T1')).toEqual(['UEVE']);
  });

  it.each<Need>(['operator', 'admin'])(
    'of a guest without the right of an %s sends to a person who has it',
    async (needs) => {
      const { authorise, memberships, store } = await testRights();
      memberships.set('U1', 'guest');
      await store.settings.change('T1', { guestReaders: 'all' }, 'UADMIN', 1);
      const hint = expect.stringContaining('Ask one of them');
      await expect(authorise({ name: 'digest', needs }, member)).rejects.toMatchObject({ hint, isForAdmins: true });
    },
  );

  it('names Slack’s admins who used the bot, and none twice', async () => {
    const { adminIds, grant, may, memberships } = await testRights();
    expect(await adminIds('T1')).toEqual([]);
    for (const userId of ['UADA', 'UEVE', 'UZOE']) memberships.set(userId, 'admin');
    await may('UADA', 'admin');
    await may('UEVE', 'reader');
    await grant('UEVE', 'admin');
    expect(await adminIds('T1')).toEqual(['UEVE', 'UADA']);
  });

  it('names the channels in which the command is allowed', async () => {
    const { authorise, memberships, store } = await testRights();
    memberships.set('U1', 'member');
    await store.settings.change('T1', { readerChannels: ['C7', 'C8'] }, 'UADMIN', 1);
    const refusal = { code: 'forbidden', channelIds: ['C7', 'C8'] };
    await expect(authorise({ name: 'list' }, member)).rejects.toMatchObject(refusal);
  });

  it('is in the audit once a minute, however often the button is pressed', async () => {
    const { may, memberships, store, time } = await testRights();
    memberships.set('U1', 'member');
    for (let press = 0; press < 5; press += 1) await may('U1', 'admin');
    const [entry, ...others] = await store.audit.page('T1', 10);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ userId: 'U1', action: 'permission refused', at: time.now });
    expect(entry?.detail).toEqual({ command: 'a-command', needs: 'admin', why: 'no right', ref: 'ref-1' });
    time.now += 120_000;
    await may('U1', 'admin');
    expect(await store.audit.page('T1', 10)).toHaveLength(2);
  });

  it('applies although the audit entry cannot be written, and the log says so', async () => {
    const { may, memberships, store, log } = await testRights();
    memberships.set('U1', 'member');
    await may('U1', 'reader');
    await store.close();
    expect((await may('U1', 'admin'))[0]).toBe(onlyAdmin);
    expect(log.text()).toContain('audit entry could not be written');
  });
});
