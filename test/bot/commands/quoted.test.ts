/** Text from outside in the bot’s own sentences is in quotation marks. */
import { expect, it } from 'vitest';
import { useTestCommands } from '../../support/bot/commands.ts';

const test = useTestCommands();

/** Parts of the errors and log lines of the sample. */
const outside =
  /settlementCurrency|insufficient allowance|certificate has expired|observations deviate|binary main\.wasm is|quorum not reached|did not answer request/;
const investigated = ['payments', 'collateral-rebalance', 'xau-usd-price-feed', 'fx-rates', 'eth-usd-price-feed'];

/** @returns the lines that have such a part outside of “…” */
function unquoted(text: string): readonly string[] {
  return text.split('\n').filter((line) => outside.test(line.replace(/“[^”]*”/g, '“”')));
}

it.each(investigated)('in the thread, status, runs and deployments of %s', async (name) => {
  const { root, replies } = await test().investigate(`execution ${name}`);
  // Log lines are shown as they are, in a block of their own.
  const thread = replies.filter((reply) => reply.name !== 'logs').map(({ message }) => message.text);
  const words = ['status', 'deployments', 'deployment', 'executions', 'timeline'];
  const answers = await Promise.all(words.map(async (word) => (await test().type(`${word} ${name}`)).text));
  const texts = [root.text, ...thread, ...answers];
  expect(texts.filter((text) => outside.test(text)).length).toBeGreaterThan(2);
  expect(texts.flatMap(unquoted)).toEqual([]);
});

it.each(['deployment payments-staging', 'deployments payments-staging', 'status payments-staging', 'list'])(
  'in the answer to %s',
  async (line) => {
    const { text } = await test().type(line);
    expect(text).toMatch(outside);
    expect(unquoted(text)).toEqual([]);
  },
);
