/** Dispatch of command lines. */
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/bot/views/blocks/message.ts';
import { type Person, sampleNow, startTestCommands, useTestCommands } from '../../../support/bot/commands.ts';
import { hostileCases } from '../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../support/insight/message-rules.ts';
import { answer, data, inTurn, startHostileHttp } from '../../../support/service/hostile-http.ts';

const test = useTestCommands();
const noWorkflows = data({ workflows: { data: [], count: 0 } });

let people = 0;
/** A person without earlier commands: the rate limit is per person. */
function newPerson(): Person {
  people += 1;
  return { teamId: 'T1', userId: `U${people}`, channelId: 'C1' };
}
const type = (line: string, isFresh = false) => test().type(line, { isFresh });

describe('a line without a known command', () => {
  it.each(['', '   \t ', 'help'])('%j shows every command and sends the service no query', async (line) => {
    const { text, hasWaited } = await type(line);
    expect(text).toMatch(/workflow status &lt;name&gt; \[window\].*workflow list /s);
    expect(hasWaited).toBe(false);
  });

  it('suggests the nearest command, with the words that were typed after it, as a button', async () => {
    const { answer, text } = await type('staus settlemen 7d');
    expect(text).toMatch(/Did you mean:.*workflow status/s);
    expect(JSON.stringify(answer.message.blocks)).toContain('"status settlement 7d"');
  });

  it.each([
    ['staus settlement 7d', 'status settlement 7d'],
    ['failure payments', 'failures payments'],
  ])('“%s” is answered as “%s”: the name is exact, and others see nothing', async (line, meant) => {
    await type(meant);
    expect((await type(line)).text).toBe((await type(meant)).text);
  });

  it('offers the lists of commands and of workflows if nothing is near', async () => {
    const { answer, text } = await type('abracadabra');
    expect(text).toMatch(
      /no command or workflow “abracadabra”.*\/workflow help lists the commands, \/workflow list the workflows/s,
    );
    expect(JSON.stringify(answer.message.blocks)).toContain('All commands');
  });

  it.each(['settlement', 'SETTLEMENT', 'settlement 7d', 'settlemen', 'settlement --window 7d'])(
    'that names one workflow, “%s”, is answered as its status',
    async (line) => {
      await type(`status ${line}`);
      const { answer, text } = await type(line);
      expect(text).toBe((await type(`status ${line}`)).text);
      expect(text).toContain('settlement');
      expect(answer.isProblem).toBeUndefined();
    },
  );

  it('that is a part of several names lets the person choose, in the window that was typed', async () => {
    const { answer, text } = await type('pay 7d');
    expect(text).toContain('may be one of');
    expect(JSON.stringify(answer.message.blocks)).toMatch(/"status [0-9a-f-]{36} 7d"/);
  });

  it.each([
    ['paymnts', 'payments'],
    ['setlement', 'settlement'],
  ])('that misspells a workflow, “%s”, suggests %s and answers for no workflow', async (line, name) => {
    const { answer, text } = await type(line);
    expect(text).toMatch(new RegExp(`no command or workflow “${line}”. Did you mean:.*${name}`, 's'));
    expect(JSON.stringify(answer.message.blocks)).toMatch(/"status [0-9a-f-]{36}"/);
    expect(answer.isProblem).toBe(true);
  });

  it.each(['lis', 'exec', 'acount', 'fail'])(
    'that may be a command, “%s”, is not taken for a part of a workflow’s name',
    async (line) => {
      const { answer, text } = await type(line);
      expect(text).toContain('Did you mean:');
      expect(answer.isProblem).toBe(true);
    },
  );

  it('with options that no status has suggests commands', async () => {
    expect((await type('log settlement --grep error')).text).toMatch(/Did you mean:.*logs/s);
  });

  it('is echoed inert, and only its first forty characters', async () => {
    const { answer, text } = await type(`<!channel>${'x'.repeat(500)}`);
    expectGoodMessage(answer.message);
    expect(text).not.toContain('x'.repeat(41));
  });

  it.each(['', 'status ', 'list --status '])(
    '“%s” and a secret: the secret is not parsed, passed on, echoed or logged',
    async (before) => {
      const { answer, text, hasWaited } = await type(`${before}wk_live_8f3b1c9d7e5a4f2b8c6d`);
      expect(text).toContain('looks like a secret');
      expect(hasWaited).toBe(false);
      expect(JSON.stringify(answer) + test().logged()).not.toContain('8f3b1c9d');
    },
  );
});

describe('a line without a known command, while the service gives no answer', () => {
  it('suggests commands, and says that workflows could not be searched', async () => {
    const down = await startTestCommands({ service: { url: 'http://127.0.0.1:9/graphql', apiKey: 'k' } });
    const { text } = await down.type('staus payments');
    expect(text).toMatch(/There is no command “staus”. Did you mean:.*status.*could not be searched/s);
    await down.close();
  });
});

describe('an alias', () => {
  it('runs the command with the words after it, and help explains that command', async () => {
    const named = await test().investigate('execution payments');
    expect((await test().investigate('explain payments')).subject).toBe(named.subject);
    expect((await type('help explain')).text).toBe((await type('help execution')).text);
    expect((await type('explain --help')).text).toMatch(/workflow execution &lt;id or workflow&gt;.*workflow explain/s);
  });

  it('that is misspelled suggests the command', async () => {
    const { answer, text } = await type('explian payments');
    expect(text).toMatch(/Did you mean:.*workflow execution/s);
    expect(JSON.stringify(answer.message.blocks)).toContain('"execution payments"');
  });

  it('is no entry of its own in the list of commands', async () => {
    expect((await type('help')).text).not.toContain('workflow explain');
  });
});

describe('--help after a command', () => {
  it.each(['status', 'digest', 'connect'])('explains %s', async (name) => {
    const { text, hasWaited } = await type(`${name} --help`);
    expect(text).toBe((await type(`help ${name}`)).text);
    expect(hasWaited).toBe(false);
  });
});

describe('a command that lacks its workflow', () => {
  it.each(['status', 'deployments', 'execution', 'export'])(
    '%s without a name offers a menu of workflows',
    async (line) => {
      const { answer } = await type(line);
      expect(JSON.stringify(answer.message.blocks)).toContain(`"action_id":"cmd:replace:search:${line} `);
      expectGoodMessage(answer.message);
    },
  );

  it.each(['status 2026-02-30', 'help explode', 'executions --status sideways'])(
    '%s lacks another argument and offers no menu of workflows',
    async (line) => {
      expect(JSON.stringify((await type(line)).answer)).not.toContain('external_select');
    },
  );
});

describe('a hostile line', () => {
  const lines = hostileCases('command').flatMap(({ id, given }) => {
    const text = given['text'];
    if (typeof text === 'string') return [[id, text.replace(/^show/, 'status')] as const];
    const gen = text && typeof text === 'object' && 'gen' in text ? (text.gen as [string, string, number]) : undefined;
    return gen ? [[id, gen[1].repeat(gen[2])] as const] : [];
  });

  it.each(lines)('%s has a valid answer', async (_id, line) => {
    expectGoodMessage((await type(line)).answer.message);
  });

  it.each(['list --page -1', 'list --page 0', 'list --page 1.5', 'list --page x', 'list --status exploded'])(
    '“%s” is refused with the accepted values, without a query',
    async (line) => {
      const { answer, hasWaited } = await type(line);
      expect(answer.isProblem).toBe(true);
      expect(hasWaited).toBe(false);
    },
  );

  it.each(['status', 'status payments 2026-02-30', 'status payments 2026-11-20..2026-11-01', 'status payments 900d'])(
    '“%s” is refused with an example, without a query',
    async (line) => {
      const { text, hasWaited } = await type(line);
      expect(text).toContain('/workflow status payments');
      expect(hasWaited).toBe(false);
    },
  );
});

describe('the rate limit', () => {
  it('refuses a person’s eleventh command in ten seconds, and no command of another person', async () => {
    const [eager, other] = [newPerson(), newPerson()];
    const answers = await Promise.all(Array.from({ length: 11 }, () => test().type('help', { person: eager })));
    expect(answers.filter(({ answer }) => answer.isProblem)).toHaveLength(1);
    expect(answers.at(-1)?.text).toContain(
      'Rate limit: 10 requests per 10 s. This request was not run. Try again in 10 s.',
    );
    expect((await test().type('help', { person: other })).answer.isProblem).toBeUndefined();
  });
});

describe('waiting', () => {
  it('is for the first answer, and not for a cached one', async () => {
    expect((await type('status fx-rates')).hasWaited).toBe(true);
    expect((await type('status fx-rates')).hasWaited).toBe(false);
  });

  it('is for a fresh answer, too', async () => {
    await type('list');
    expect((await type('list', true)).hasWaited).toBe(true);
  });
});

describe('a busy service', () => {
  it.each([
    ['7', ['⏳ The query service is busy; trying again in 7 s.']],
    ['1', []],
  ])('with a Retry-After of %s s is retried, and the person is notified of a long wait', async (seconds, told) => {
    await using server = await startHostileHttp(inTurn(answer(429, '', { 'retry-after': seconds }), noWorkflows));
    const service = { url: server.url, apiKey: 'k' };
    const busy = await startTestCommands({ service, query: { wait: async () => undefined } });
    const notes: string[] = [];
    const onProgress = ({ text }: Message) => void notes.push(text.replace(':hourglass_flowing_sand:', '⏳'));
    const request = { line: 'list', actor: newPerson(), isFresh: false };
    const answered = await busy.dispatch(request, onProgress);
    expect(answered).not.toHaveProperty('isProblem');
    expect(notes).toEqual(told);
    await busy.close();
  });
});

describe('a service that gives no answer', () => {
  it('causes an answer with a reference that is in the log and a button to try again', async () => {
    const down = await startTestCommands({
      service: { url: 'http://127.0.0.1:9/graphql', apiKey: 'k' },
      clock: () => sampleNow,
    });
    const { answer, text } = await down.type('list');
    expect(answer.isProblem).toBe(true);
    expect(text).toContain('ref-1');
    expect(down.logged()).toContain('"ref":"ref-1"');
    expect(JSON.stringify(answer.message.blocks)).toContain('Try again');
    expectGoodMessage(answer.message);
    await down.close();
  });
});
