/** A refused plan is sent as a list, and a refused list as text. */
import { describe, expect, it } from 'vitest';
import { ephemeral } from '../../../../src/bot/commands/framework/command.ts';
import { Posting } from '../../../../src/bot/slack/outbound/delivery/posting.ts';
import { createSlackClients } from '../../../../src/bot/slack/outbound/web-api/client.ts';
import { message } from '../../../../src/bot/views/blocks/message.ts';
import { plan } from '../../../../src/bot/views/blocks/plan.ts';
import { rich } from '../../../../src/bot/views/blocks/rich-text.ts';
import { directId, personId } from '../../../../src/local-slack/state/seed.ts';
import { startTestBot } from '../../../support/bot/bot.ts';
import { createMemoryLog } from '../../../support/runner/memory-log.ts';
import { slackError } from '../../../support/slack/faults.ts';
import { localSlack } from '../../../support/slack/local-slack.ts';
import { commandPayload } from '../../../support/slack/slack-payloads.ts';

const steps = message([
  plan('1 step', [{ number: 1, title: ['http@1'], status: 'complete', details: rich`succeeded` }]),
]);

/** The kinds of blocks that each attempt had; undefined for words alone. */
const kindsOf = (blocks: unknown) =>
  Array.isArray(blocks) ? blocks.map((block: { readonly type: string }) => block.type) : undefined;

describe('a plan', () => {
  it('is never in an acknowledgement, which hides a refusal', async () => {
    await using run = await startTestBot({ answer: () => ephemeral(steps) });
    await run.slack.send('slash_commands', commandPayload(run.slack, 'timeline'));
    await run.bot.stop();
    expect(run.slack.responses.map(({ payload }) => kindsOf(payload['blocks']))).toEqual([['plan']]);
  });

  it('that a response_url refuses is followed by a list, then by words', async () => {
    await using run = await startTestBot({ answer: () => ephemeral(steps) });
    const refused = { status: 400, body: { ok: false, error: 'invalid_blocks' } };
    run.slack.script('response_url', refused, refused);
    await run.slack.send('slash_commands', commandPayload(run.slack, 'timeline'));
    await run.bot.stop();
    const payloads = run.slack.responses.map(({ payload }) => payload);
    expect(payloads.map(({ blocks }) => kindsOf(blocks))).toEqual([['plan'], ['rich_text'], undefined]);
    expect(new Set(payloads.map(({ text }) => text))).toEqual(new Set([steps.text]));
  });

  it.each([
    [1, ['rich_text']],
    [2, []],
  ])('that is refused %i times in direct messages is posted as %j', async (times, kinds) => {
    const slack = await localSlack();
    const { log } = createMemoryLog();
    const clients = createSlackClients({ slackApiUrl: slack.apiUrl, callTimeoutMs: 2_000, log, fetch });
    const posting = new Posting({
      post: async () => ({ kind: 'refused', error: 'not_here' }),
      slashCommand: '/workflow',
      clients,
      log,
      sendBytes: async () => 200,
    });
    slack.fail('chat.postMessage', slackError('invalid_blocks'), times);
    const place = { botToken: slack.botToken, channelId: directId('ada') };
    expect(await posting.notify(place, steps)).toMatchObject({ kind: 'done' });
    const [standing] = slack.messages({ channel: directId('ada'), viewer: personId('ada') });
    expect(kindsOf(standing?.blocks)).toEqual(kinds);
    expect(standing?.text).toBe(steps.text);
  });
});
