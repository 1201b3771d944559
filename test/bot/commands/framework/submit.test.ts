/** Submission of forms, with the rights of the person. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Members } from '../../../../src/bot/commands/access/access-control.ts';
import {
  type AnyCommand,
  defineCommand,
  defineForm,
  ephemeral,
  type FormAnswer,
} from '../../../../src/bot/commands/framework/command.ts';
import { message } from '../../../../src/bot/views/blocks/message.ts';
import { paragraph, plain } from '../../../../src/bot/views/blocks/rich-text.ts';
import { everybodyIs } from '../../../support/bot/authorise.ts';
import { startTestCommands } from '../../../support/bot/commands.ts';

const said = message([paragraph([plain('Ordered.')])]);
const secret = 'wfq_canary-canary-canary-canary';

function order(submit: () => FormAnswer | Promise<FormAnswer> = () => ({ kind: 'close', message: said })): AnyCommand {
  return defineCommand({
    name: 'order',
    group: 'setup',
    summary: 'orders something',
    usage: '',
    examples: ['order'],
    needs: 'admin',
    arguments: z.strictObject({}),
    run: async () => ephemeral(said),
    form: defineForm({
      values: z.object({ name: z.string({ error: 'Say a name.' }).max(40, 'That is too long.'), size: z.string() }),
      submit: async () => submit(),
    }),
  });
}

const nowhere = { url: 'http://127.0.0.1:9/graphql', apiKey: 'none' };

async function doors(command = order(), people = everybodyIs('admin')) {
  const commands = await startTestCommands({ commands: [command], service: nowhere, people, clock: () => 0 });
  onTestFinished(commands.close);
  return commands;
}

const actor = { teamId: 'T1', userId: 'U1' };
const values = { name: secret, size: 'one' };
const submission = { command: 'order', actor, values };

describe('a form', () => {
  it('counts in the same quota as commands, in any order', async () => {
    const { dispatch, submit } = await doors();
    for (let sent = 0; sent < 5; sent += 1) {
      await dispatch({ line: 'order', actor: { ...actor, channelId: 'C1' }, isFresh: false });
      expect((await submit(submission)).kind).toBe('close');
    }
    const refused = await submit(submission);
    expect(JSON.stringify(refused)).toContain('Rate limit: 10 requests per 10 s');
    expect((await submit({ ...submission, actor: { ...actor, userId: 'U2' } })).kind).toBe('close');
  });

  it('with valid input is answered by its command, and its one log line has no input', async () => {
    const { submit, logged } = await doors();
    expect(await submit(submission)).toEqual({ kind: 'close', message: said });
    expect(logged().trim().split('\n')).toHaveLength(1);
    expect(logged()).toContain('"command":"order"');
    expect(logged()).not.toContain('canary');
  });

  it.each([
    ['without a value', { size: 'one' }, { name: 'Say a name.' }],
    ['with a value of the wrong type', { ...values, name: ['a'] }, { name: 'Say a name.' }],
    ['with a value that is too long', { ...values, name: 'x'.repeat(41) }, { name: 'That is too long.' }],
  ])('%s gets an error at each wrong input', async (_what, given, errors) => {
    const { submit } = await doors();
    expect(await submit({ ...submission, values: given })).toEqual({ kind: 'errors', errors, form: null });
  });

  it.each(['nothing', '', '__proto__', 'constructor'])(
    'of the unknown command “%s” is refused as one of another version',
    async (command) => {
      const { submit } = await doors();
      expect(JSON.stringify(await submit({ ...submission, command }))).toContain('another version of the bot');
    },
  );

  it('whose handler throws is answered with a reference, and its log line has no input', async () => {
    const broken = order(() => {
      throw new Error('The table is gone.');
    });
    const { submit, logged } = await doors(broken);
    expect(JSON.stringify(await submit(submission))).toMatch(/Something went wrong.*ref-1/);
    expect(logged()).toMatch(/"ref":"ref-1".*The table is gone/);
    expect(logged()).not.toContain('canary');
  });

  it('has a rate limit', async () => {
    const { submit } = await doors();
    const all = await Promise.all(Array.from({ length: 11 }, () => submit(submission)));
    expect(JSON.stringify(all.at(-1))).toContain('Try again in 10 s');
  });
});

describe('a person without the right to run a command', () => {
  const membershipOf: Members['membershipOf'] = async ({ userId }) => (userId === 'UADMIN' ? 'admin' : 'member');

  it('is refused the line and the form, and neither runs', async () => {
    let ran = 0;
    const counted = order(() => {
      ran += 1;
      return { kind: 'close' };
    });
    const { dispatch, submit } = await doors(counted, {
      membershipOf,
      knownMembershipOf: () => undefined,
      knownAdminIds: () => [],
    });
    const line = { line: 'order', actor: { ...actor, channelId: 'C1' }, isFresh: false };
    expect(await dispatch(line)).toMatchObject({ isProblem: true });
    expect(JSON.stringify(await submit(submission))).toContain('Only bot admins can do that.');
    expect(ran).toBe(0);
    expect(await submit({ ...submission, actor: { ...actor, userId: 'UADMIN' } })).toEqual({ kind: 'close' });
  });
});
