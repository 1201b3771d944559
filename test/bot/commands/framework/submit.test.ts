/** Submission of forms, with the rights of the person. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createCommandQuota } from '../../../../src/bot/commands/access/access-control.ts';
import {
  type AnyCommand,
  defineCommand,
  defineForm,
  ephemeral,
  type FormAnswer,
} from '../../../../src/bot/commands/framework/command.ts';
import { createDispatch, type DispatchDeps } from '../../../../src/bot/commands/framework/dispatch.ts';
import { createSubmit } from '../../../../src/bot/commands/framework/submit.ts';
import { message } from '../../../../src/bot/views/blocks/message.ts';
import { paragraph, plain } from '../../../../src/bot/views/blocks/rich-text.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { openToAll } from '../../../support/bot/access-control.ts';
import { createMemoryLog } from '../../../support/runner/memory-log.ts';

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

function doors(command = order(), deps: Partial<DispatchDeps> = {}) {
  const { log, text } = createMemoryLog();
  const all: DispatchDeps = {
    commands: [command],
    queryClientFor: () => {
      throw new Error('This test sends no query.');
    },
    connectionOf: () => {
      throw new Error('This test does not connect workspaces.');
    },
    zoneOf: async () => 'Etc/UTC',
    drawPng: async () => new Uint8Array(),
    slashCommand: '/workflow',
    clock: () => 0,
    log,
    createReference: () => 'ref-1',
    commandQuota: createCommandQuota(() => 0),
    ...openToAll,
    ...deps,
  };
  return { dispatch: createDispatch(all), submit: createSubmit(all), logged: text };
}

const actor = { teamId: 'T1', userId: 'U1' };
const values = { name: secret, size: 'one' };
const submission = { command: 'order', actor, values };

describe('a form', () => {
  it('counts in the same quota as commands, in any order', async () => {
    const { dispatch, submit } = doors();
    for (let sent = 0; sent < 5; sent += 1) {
      await dispatch({ line: 'order', actor: { ...actor, channelId: 'C1' }, isFresh: false });
      expect((await submit(submission)).kind).toBe('close');
    }
    const refused = await submit(submission);
    expect(JSON.stringify(refused)).toContain('Rate limit: 10 requests per 10 s');
    expect((await submit({ ...submission, actor: { ...actor, userId: 'U2' } })).kind).toBe('close');
  });

  it('with valid input is answered by its command, and its one log line has no input', async () => {
    const { submit, logged } = doors();
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
    const { submit } = doors();
    expect(await submit({ ...submission, values: given })).toEqual({ kind: 'errors', errors, form: null });
  });

  it.each(['nothing', '', '__proto__', 'constructor'])(
    'of the unknown command “%s” is refused as one of another version',
    async (command) => {
      const { submit } = doors();
      expect(JSON.stringify(await submit({ ...submission, command }))).toContain('another version of the bot');
    },
  );

  it('whose handler throws is answered with a reference, and its log line has no input', async () => {
    const broken = order(() => {
      throw new Error('The table is gone.');
    });
    const { submit, logged } = doors(broken);
    expect(JSON.stringify(await submit(submission))).toMatch(/Something went wrong.*ref-1/);
    expect(logged()).toMatch(/"ref":"ref-1".*The table is gone/);
    expect(logged()).not.toContain('canary');
  });

  it('has a rate limit', async () => {
    const { submit } = doors();
    const all = await Promise.all(Array.from({ length: 11 }, () => submit(submission)));
    expect(JSON.stringify(all.at(-1))).toContain('Try again in 10 s');
  });
});

describe('a person without the right to run a command', () => {
  const authorise: DispatchDeps['authorise'] = async ({ needs }, { userId }) => {
    if (needs === 'admin' && userId !== 'UADMIN') throw new AppError('forbidden', 'Only admins order.');
  };

  it('is refused the line and the form, and neither runs', async () => {
    let ran = 0;
    const counted = order(() => {
      ran += 1;
      return { kind: 'close' };
    });
    const { dispatch, submit } = doors(counted, { authorise });
    const line = { line: 'order', actor: { ...actor, channelId: 'C1' }, isFresh: false };
    expect(await dispatch(line)).toMatchObject({ isProblem: true });
    expect(JSON.stringify(await submit(submission))).toContain('Only admins order.');
    expect(ran).toBe(0);
    expect(await submit({ ...submission, actor: { ...actor, userId: 'UADMIN' } })).toEqual({ kind: 'close' });
  });
});
