/** The limit for the length of posted messages, which a response_url does not have. */
import { expect, it } from 'vitest';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { limits } from '../../../src/shared/block-kit/limits.ts';
import { postedUnits } from '../../../src/shared/block-kit/posted-units.ts';
import { localSlack, webClient } from '../../support/slack/local-slack.ts';

const channel = channelId('general');
const divider = { type: 'divider' } as const;

/** A paragraph of blocks that take `units` in all. */
function blocksOf(units: number) {
  const empty = {
    type: 'rich_text',
    elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '' }] }],
  };
  const text = 'x'.repeat(units - postedUnits([empty]));
  return [{ ...empty, elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] }];
}

it('a block takes its JSON and what Slack adds: a divider 125, as Slack’s users measured', () => {
  expect(postedUnits([divider, divider])).toBe(250);
});

it.each(['chat.postMessage', 'chat.postEphemeral', 'chat.update'])(
  '%s takes a message of 12,000 units, and no longer one',
  async (method) => {
    const slack = await localSlack();
    const client = webClient(slack);
    const { ts } = await client.chat.postMessage({ channel, text: 'first' });
    const call = (units: number) =>
      client.apiCall(method, { channel, ts, user: personId('ada'), text: 'x', blocks: blocksOf(units) });
    expect(await call(limits.message.postedUnitsMax)).toMatchObject({ ok: true });
    await expect(call(limits.message.postedUnitsMax + 1)).rejects.toMatchObject({
      data: { error: 'msg_blocks_too_long' },
    });
  },
);
