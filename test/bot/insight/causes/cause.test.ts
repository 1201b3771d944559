/** Causes of failures: grouping and titles. */
import { describe, expect, it } from 'vitest';
import { causeOf, groupByCause } from '../../../../src/bot/insight/causes/cause.ts';
import { failuresOf, sampleAt } from '../../../support/sample.ts';

const reported = (error: string, count = 9) => ({ error, count });
const cause = (...errors: readonly { error: string; count: number }[]) =>
  causeOf({ errors, classifiedStatus: 'USER_ERROR' });
const keyOf = (error: string) => cause(reported(error)).fingerprint;
const titleOf = (error: string) => cause(reported(error)).title;

describe('a cause', () => {
  it.each([
    ['HTTP statuses', 'request failed with status code 401', 'request failed with status code 403'],
    ['JSON-RPC codes', 'rpc: error -32005: refused', 'rpc: error -32601: refused'],
    ['SQL states', 'could not commit (SQLSTATE 40001)', 'could not commit (SQLSTATE 40P01)'],
    ['system codes', 'read ECONNRESET', 'read ETIMEDOUT'],
    ['exit statuses', 'worker ended: exit status 137', 'worker ended: exit status 139'],
    ['gRPC codes', 'rpc error: code = Unavailable desc = x', 'rpc error: code = Aborted desc = x'],
    ['contract errors', 'reverted: BidTooLow(1, 2)', 'reverted: BidTooHigh(1, 2)'],
    ['revert selectors', 'execution reverted: 0xe450d38c', 'execution reverted: 0xfb8f41b2'],
    ['operations', 'fetch rates: context deadline exceeded', 'fetch balances: context deadline exceeded'],
    ['paths', 'GET https://a.example/v1/x: timeout', 'GET https://a.example/v1/y: timeout'],
    ['versions of a path', 'GET https://a.example/v1/x: timeout', 'GET https://a.example/v2/x: timeout'],
    ['order', 'bid is above ask', 'ask is above bid'],
    ['negation', 'transfer is allowed', 'transfer is not allowed'],
  ])('differs by %s', (_what, one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it.each([
    ['ids', 'batch bch_8f3a2b1c refused', 'batch bch_deadbeef refused'],
    ['node names', 'node 7: lost its lease', 'node-12: lost its lease'],
    ['amounts with units', 'answer took 3021 ms, too long', 'answer took 12 seconds, too long'],
    ['times', 'closed since Thu, 20 Nov 2026 10:00:00 GMT', 'closed since 2026-11-21T08:00:00+01:00'],
    ['quoted values', 'no feed for symbol "ETH USD"', "no feed for symbol 'BTC'"],
    ['queries and ids of urls', 'GET https://a.example/u/42?x=1: timeout', 'GET https://a.example/u/9c1e?y: timeout'],
    ['attempts', 'lost its lease (attempt 1 of 3)', 'lost its lease, retrying in 5s'],
    ['wrapping', 'workflow execution failed: after 3 attempts: last error: lost its lease', 'lost its lease'],
    ['stack frames', 'TypeError: x is not a function\n    at run (main.js:1:2)', 'TypeError: x is not a function'],
    ['JSON values', 'refused: {"id":1,"to":"0xab"}', 'refused: {"id":2,"to":"0xcd","n":[1]}'],
    ['request ids', 'lost its lease, request_id=req_88', 'lost its lease (request id: 4bf92f35-77b3)'],
    ['base58 ids', 'peer 12D3KooWGRUfDq1XJ9Yb left', 'peer QmYwAPJzv5CZsnA625s3Xf2n left'],
  ])('does not differ by %s', (_what, one, other) => {
    expect(keyOf(one)).toBe(keyOf(other));
  });

  it('is the same however the platform classifies it, and shows the classification', () => {
    const errors = [reported('price is stale')];
    const read = ['USER_ERROR', 'SYSTEM_ERROR', 'UNSPECIFIED', null].map((classifiedStatus) =>
      causeOf({ errors, classifiedStatus }),
    );
    expect(new Set(read.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    expect(read.map(({ classifiedStatus }) => classifiedStatus)).toEqual([
      'USER_ERROR',
      'SYSTEM_ERROR',
      'UNSPECIFIED',
      null,
    ]);
  });

  it('shows no part of the error in its fingerprint', () => {
    expect(keyOf('token swordfish refused')).toMatch(/^[0-9a-f]{16}$/);
  });

  it('shows no part of a secret in its title, even where the words that announce it are cut', () => {
    const title = titleOf('vault failed: password: swordfish-tuna was refused by the broker of record');
    expect(title).not.toMatch(/swordfish|tuna/);
    expect(title).toContain('was refused by the broker of record');
  });

  it('states that there is no detail if there is none', () => {
    const causes = [null, [], [reported('')], [reported(' \n ')]].map((errors) =>
      causeOf({ errors, classifiedStatus: null }),
    );
    expect(new Set(causes.map(({ title }) => title))).toEqual(new Set(['no detail kept']));
    expect(new Set(causes.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  });

  it('states that an error has no words', () => {
    expect(titleOf('0x12ab34cd56ef 42')).toBe('an error without words');
  });

  it('is the error of most nodes, counting errors that differ only in ids together, in any order', () => {
    const errors = [
      reported('price 5 is stale', 3),
      reported('call to peer a1b2c3 lost', 2),
      reported('call to peer d4e5f6 lost', 2),
    ];
    expect(cause(...errors)).toMatchObject({
      title: 'call to peer <id> lost',
      minorityTitle: 'price <number> is stale',
    });
    expect(cause(...errors.toReversed())).toEqual(cause(...errors));
  });

  it('is the specific error, although more nodes report an empty one', () => {
    expect(cause(reported('workflow execution failed', 8), reported('disk is full', 1)).title).toBe('disk is full');
  });

  it('keeps the code and the message of a JSON answer', () => {
    expect(titleOf('400 Bad Request: {"error":{"code":"FROZEN","message":"account 12 is frozen","trace":"a1"}}')).toBe(
      '400 Bad Request: code FROZEN: account <number> is frozen',
    );
  });

  it("reads Solidity's encoded reasons", () => {
    const word = (hex: string) => hex.padStart(64, '0');
    const reason = `${word('20')}${word('6')}${'706175736564'.padEnd(64, '0')}`;
    expect(titleOf(`execution reverted: 0x08c379a0${reason}`)).toBe('execution reverted: paused');
    expect(titleOf(`execution reverted: 0x4e487b71${word('11')}`)).toBe('execution reverted: panic code 0x11');
  });
});

describe('groups', () => {
  const run = (error: string, startedAt: string, workflowName = 'payments') => ({
    workflowName,
    startedAt,
    classifiedStatus: 'USER_ERROR',
    errors: [reported(error)],
  });

  it('are sorted by frequency, with first, last, newest and workflows', () => {
    const runs = [
      run('order 1 lost', '2026-11-20T10:00:00Z', 'eu'),
      run('order 2 lost', '2026-11-20T12:00:00Z'),
      run('disk full', '2026-11-20T13:00:00Z'),
      run('order 3 lost', '2026-11-20T11:00:00Z', 'eu'),
    ];
    const [lost, full] = groupByCause(runs);
    expect(lost).toMatchObject({ count: 3, sample: runs[1], workflows: ['eu', 'payments'] });
    expect([lost?.first, lost?.last]).toEqual([Date.parse('2026-11-20T10:00:00Z'), Date.parse('2026-11-20T12:00:00Z')]);
    expect(full).toMatchObject({ count: 1, cause: { title: 'disk full' } });
  });

  it('are none for no failures', () => {
    expect(groupByCause([])).toEqual([]);
  });
});

describe('the sample organization', () => {
  const { sample } = sampleAt('2026-11-20T10:00:00Z');
  const titlesOf = (name: string) =>
    groupByCause(
      failuresOf(sample.runsOf(name)).map((run) => ({
        ...run,
        workflowName: name,
        startedAt: new Date(run.startedAt).toISOString(),
      })),
    ).map(({ cause: { title } }) => title);
  const outage = 'consensus: quorum not reached: <number> of <number> nodes answered request <id> within <number>';

  it.each([
    ['payments', ['422 Unprocessable Entity: unknown field "settlementCurrency" in payouts[<number>]']],
    [
      'collateral-rebalance',
      ['ERC20: insufficient allowance (spender <address>, allowance <number>, needed <number>)'],
    ],
    ['xau-usd-price-feed', ['consensus: observations deviate by <number>: median <number>, node-<id>']],
    ['fx-rates', ['http-actions: gateway <id> did not answer request <id> within <number>']],
    ['settlement', ['SlippageExceeded(minimum <number>, received <number>)', outage]],
    ['eth-usd-price-feed', [outage]],
    ['proof-of-reserves', ['no detail kept', outage]],
    ['Курсы-валют', ['истекло время ожидания <number>']],
  ])('has the causes of %s', (name, titles) => {
    expect(titlesOf(name).toSorted()).toEqual(titles.toSorted());
  });

  it('shows the reason beside the price that deviates', () => {
    const [failed] = failuresOf(sample.runsOf('xau-usd-price-feed'));
    expect(failed && causeOf(failed).minorityTitle).toContain('x509: certificate has expired');
  });
});
