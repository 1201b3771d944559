/** `export` against the sample organization. */
import { describe, expect, it } from 'vitest';
import { sampleService, startTestCommands, type Typed, useTestCommands } from '../../../../support/bot/commands.ts';
import { answer, inTurn, relayTo, startHostileHttp } from '../../../../support/service/hostile-http.ts';

const test = useTestCommands();
const type = (line: string) => test().type(line);

/** The file of an answer as text. */
async function fileOf({ answer: { file } }: Typed) {
  return new TextDecoder().decode(await file?.content());
}

describe('export', () => {
  it('contains every run once, far past the limit of a page', async () => {
    const typed = await type('export payments 2d');
    const lines = (await fileOf(typed)).trimEnd().split('\r\n').slice(1);
    expect(typed.text).toContain('payments: 5,760 runs that started between');
    expect(new Set(lines.map((line) => line.split(',')[1])).size).toBe(5760);
  });

  it('as JSON has its window and its rows', async () => {
    const typed = await type('export settlement 7d --format JSON');
    const document = JSON.parse(await fileOf(typed));
    expect(document).toMatchObject({
      workflow: 'settlement',
      window: { from: '2026-11-14T10:30:00.000Z', to: '2026-11-21T10:30:00.000Z' },
      rowCount: 672,
      isWhole: true,
    });
    expect(document.executions).toHaveLength(672);
    expect(typed.answer.file?.name).toBe('settlement-2026-11-14T1030Z-2026-11-21T1030Z.json');
  });

  it('without runs has no file', async () => {
    const { answer: empty, text } = await type('export invoice-sync');
    expect([empty.file, text]).toEqual([undefined, expect.stringContaining('so there is no file')]);
  });

  it('of an unknown format names the accepted ones', async () => {
    expect((await type('export payments --format xml')).text).toContain('A format is csv or json.');
  });

  it('of an ambiguous name keeps window and format in the choice', async () => {
    const { answer: choice } = await type('export pay 7d --format json');
    expect(JSON.stringify(choice.message.blocks)).toMatch(/"value":"export [0-9a-f-]{36} --format json 7d"/);
  });

  it('of an unknown uuid is refused', async () => {
    const { answer: refused } = await type('export 00000000-0000-4000-8000-000000000000');
    expect(refused.isProblem).toBe(true);
  });
});

describe('export from a service that fails on the way', () => {
  it('keeps the received rows, names the missing ones, and offers the rest', async () => {
    const { url, apiKey } = await sampleService();
    const relay = relayTo(url);
    // The name, two pages that share a run, then nothing more.
    await using door = await startHostileHttp(inTurn(relay, relay, relay, answer(500)));
    const commands = await startTestCommands({ service: { url: door.url, apiKey } });
    const { answer: partial, text } = await commands.type('export payments');
    expect(text).toMatch(/payments: 199 of the runs that started/);
    expect(text).toContain('The query service stopped answering midway: runs before');
    expect(JSON.stringify(partial.message.blocks)).toContain('Export the rest');
    await commands.close();
  });
});
