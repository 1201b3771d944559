/** Causes in the sample organization. */
import { describe, expect, it } from 'vitest';
import { causeOf, groupByCause, withCause } from '../../../../src/bot/insight/causes/cause.ts';
import { failuresOf, sampleAt } from '../../../support/service/sample.ts';

describe('the sample organization', () => {
  const { sample } = sampleAt('2026-11-20T10:00:00Z');
  const titlesOf = (name: string) =>
    groupByCause(
      failuresOf(sample.runsOf(name)).map((run) =>
        withCause({ ...run, workflowName: name, startedAt: new Date(run.startedAt).toISOString() }),
      ),
    ).map(({ cause: { title } }) => title);
  const outage = 'consensus: quorum not reached: <number> of <number> nodes answered request <id> within <number>';

  it.each([
    ['payments', ['422 Unprocessable Entity: unknown field "settlementCurrency" in payouts[<number>]']],
    [
      'collateral-rebalance',
      ['execution reverted: ERC20: insufficient allowance (spender <address>, allowance <number>, needed <number>)'],
    ],
    ['xau-usd-price-feed', ['consensus: observations deviate by <number>: median <number>, node-<id>']],
    ['fx-rates', ['http-actions: gateway <id> did not answer request <id> within <number>']],
    ['settlement', ['SlippageExceeded(minimum <number>, received <number>)', outage]],
    ['eth-usd-price-feed', [outage]],
    ['proof-of-reserves', ['no detail kept', outage]],
    ['Курсы-валют', ['обновление курсов: не удалось получить курс ЦБ: истекло время ожидания <number>']],
  ])('has the causes of %s', (name, titles) => {
    expect(titlesOf(name).toSorted()).toEqual(titles.toSorted());
  });

  it('shows the reason beside the price that deviates', () => {
    const [failed] = failuresOf(sample.runsOf('xau-usd-price-feed'));
    expect(failed && causeOf(failed).otherError?.title).toContain('x509: certificate has expired');
  });
});
