/** Causes of failures: grouping and titles. */
import { describe, expect, it } from 'vitest';
import { causeOf, groupByCause } from '../../../../src/bot/insight/causes/cause.ts';
import { failuresOf, sampleAt } from '../../../support/sample.ts';

const reported = (error: string, count = 9) => ({ error, count });
const cause = (...errors: readonly { error: string; count: number }[]) =>
  causeOf({ errors, classifiedStatus: 'USER_ERROR' });
const keyOf = (error: string) => cause(reported(error)).fingerprint;
const titleOf = (error: string) => cause(reported(error)).title;

const awsError = (operation: string, requestId: string) =>
  `operation error S3: ${operation}, https response error StatusCode: 403, RequestID: ${requestId}, HostID: x, api error AccessDenied: Access Denied`;
const frozen = (fault: string) => `payout refused: ${fault}: please contact support@bank.example`;

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
    ['statuses in brackets', 'upload failed (401)', 'upload failed (403)'],
    ['names of secrets', 'secret "BANK_KEY" not found in vault', 'secret "FX_KEY" not found in vault'],
    ['names of columns', 'column "fee" does not exist', 'column "rate" does not exist'],
    ['names that are fillers', 'column "to" does not exist', 'column "from" does not exist'],
    [
      'properties read',
      "Cannot read properties of null (reading 'bid')",
      "Cannot read properties of null (reading 'ask')",
    ],
    ['constraints', 'violates constraint "payouts_ibfk_1"', 'violates constraint "payouts_ibfk_2"'],
    [
      'names before the end',
      'Import #0 "abort": function requires a callable',
      'Import #0 "seed": function requires a callable',
    ],
    ['selectors in pairs', 'reverted (data="0x118cdaa7", reason=null)', 'reverted (data="0x1e4fbdf7", reason=null)'],
    ['selectors in JSON', 'reverted: {"code":3,"data":"0x4a5541ef"}', 'reverted: {"code":3,"data":"0x90b8ec18"}'],
    [
      'paths of JSON',
      '{"path":"$.pay[3].iban","message":"is required"}',
      '{"path":"$.pay[3].bic","message":"is required"}',
    ],
    ['fields of JSON', '{"field":"amount","message":"is invalid"}', '{"field":"currency","message":"is invalid"}'],
    [
      'lists that are paths',
      '[{"loc":["body",1,"isin"],"msg":"required"}]',
      '[{"loc":["body",1,"mic"],"msg":"required"}]',
    ],
    ['codes of venues', 'said {"retCode":10001,"retMsg":"refused"}', 'said {"retCode":10004,"retMsg":"refused"}'],
    ['codes of XML', '<Error><Code>AccessDenied</Code></Error>', '<Error><Code>NoSuchKey</Code></Error>'],
    [
      'causes that Node prints',
      "TypeError: fetch failed {\n  [cause]: Error: read ECONNRESET {\n    errno: -104,\n    code: 'ECONNRESET'\n  }\n}",
      "TypeError: fetch failed {\n  [cause]: Error: connect ECONNREFUSED {\n    errno: -111,\n    code: 'ECONNREFUSED'\n  }\n}",
    ],
    ['operations of the AWS SDK', awsError('GetObject', 'A1'), awsError('PutObject', 'B2')],
    ['faults before a request to contact somebody', frozen('account is frozen'), frozen('limit reached')],
    [
      'faults before a rollback',
      'settle: margin is low: transaction rolled back',
      'settle: price is old: transaction rolled back',
    ],
    [
      'details after an empty line',
      'RPC failed.\n\nDetails: header not found',
      'RPC failed.\n\nDetails: unknown account',
    ],
    ['words that are units', 'order 64128: second leg not filled', 'order 64128: first leg not filled'],
    ['units that belong to a noun', 'swap 7 day count is unknown', 'swap 7 month count is unknown'],
    ['words that are months', 'order 64128 may not be amended', 'order 64128 must not be amended'],
  ])('differs by %s', (_what, one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it.each([
    ['ids', 'batch bch_8f3a2b1c refused', 'batch bch_deadbeef refused'],
    ['node names', 'node 7: lost its lease', 'node-12: lost its lease'],
    ['amounts with units', 'answer took 3021 ms, too long', 'answer took 12 seconds, too long'],
    ['times', 'closed since Thu, 20 Nov 2026 10:00:00 GMT', 'closed since 2026-11-21T08:00:00+01:00'],
    ['the kind of quotes', 'secret "BANK_KEY" not found', 'secret »BANK_KEY« not found'],
    ['quoted ids', 'no secret named "a1b2c3d4e5" found', 'no secret named "ffee001122" found'],
    [
      'long quoted values',
      'cannot book memo "Rent for November, thank you very much Anna": bad characters',
      'cannot book memo "Happy birthday to Peter and all the best to him": bad characters',
    ],
    [
      'details of a driver',
      'deadlock detected\nDETAIL: Process 1 waits for 2.\nProcess 2 waits for 1.',
      'deadlock detected',
    ],
    ['the state of an SQL error', 'column "fee" does not exist (SQLSTATE 42703)', 'column "fee" does not exist'],
    [
      'base64 ids',
      'access denied, HostID: eftixk72aD6Ap51TnqcoF8eFidJG9Z/2mkiDFu8yU9AS1e==',
      'access denied, HostID: 9Z/2mkiDFu8yU9AS1eaD6Ap51TnqcoF8eFidJGeftixk72==',
    ],
    [
      'indexes of a path',
      '{"path":"$.pay[3].iban","message":"is required"}',
      '{"path":"$.pay[12].iban","message":"is required"}',
    ],
    ['numbers of a locale', 'balance 1,234.50 is too low', 'balance 1.234,50 is too low'],
    [
      'ids of XML',
      '<Error><Code>NoKey</Code><RequestId>A1</RequestId></Error>',
      '<Error><Code>NoKey</Code><RequestId>B2</RequestId></Error>',
    ],
    ['tracking ids', 'claim is missing. TrackingId:5d46d932_G7, Timestamp:2026-11-20T10:00:00', 'claim is missing.'],
    ['classes of clients', 'AxiosError: timeout of 5000ms exceeded', 'timeout of 3000ms exceeded'],
    [
      'comparisons',
      'tip is too low: new cap 100 < 110 queued + 10% penalty',
      'tip is too low: new cap 7 < 9 queued + 10% penalty',
    ],
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

  it.each([
    [
      'the fault, not the data after it',
      'nonce too high: address 0x71C7656EC7ab88b098defB751B7401B5f6d8976F, tx: 12 state: 15',
      'nonce too high: address <address>, tx: <number> state: <number>',
    ],
    [
      'the fault, not the lines of data after it',
      'values do not match.\nExpected length: 2\nGiven length: 1',
      'values do not match: Expected length: <number>: Given length: <number>',
    ],
    ['one value instead of a list', 'values differ: 12, 13, 14', 'values differ: <number>'],
    [
      'a code before the message',
      'AADSTS700016: application 7 was not found in this directory',
      'AADSTS700016: application <number> was not found in this directory',
    ],
    ['names in their quotes', "column 'fee' does not exist", "column 'fee' does not exist"],
    [
      'kinds of values',
      'wallet 0x71C7656EC7ab88b098defB751B7401B5f6d8976F sent mail to a@b.example at 2026-11-20T10:00:00Z',
      'wallet <address> sent mail to <email> at <time>',
    ],
  ])('shows %s in its title', (_what, error, title) => {
    expect(titleOf(error)).toBe(title);
  });

  it.each([
    'failed to get secret: context deadline exceeded',
    "failed to get secret 'BANK_KEY': context deadline exceeded",
  ])('masks no word of a sentence in its title: %s', (error) => {
    expect(titleOf(error)).toContain('context deadline exceeded');
  });

  it('shows all four bytes of a selector', () => {
    for (const selector of ['0x7939f424', '0x00112233', '0xdeadbeef', '0x12345678']) {
      expect(titleOf(`execution reverted: custom error ${selector}`)).toContain(selector);
      expect(titleOf(`execution reverted, data: "${selector}${'0'.repeat(64)}"`)).toContain(selector);
    }
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
      ['execution reverted: ERC20: insufficient allowance (spender <address>, allowance <number>, needed <number>)'],
    ],
    ['xau-usd-price-feed', ['consensus: observations deviate by <number>: median <number>, node-<id>']],
    ['fx-rates', ['http-actions: gateway <id> did not answer request <id> within <number>']],
    [
      'settlement',
      ['transaction <hash> from <address> reverted: SlippageExceeded(minimum <number>, received <number>)', outage],
    ],
    ['eth-usd-price-feed', [outage]],
    ['proof-of-reserves', ['no detail kept', outage]],
    ['Курсы-валют', ['обновление курсов: не удалось получить курс ЦБ: истекло время ожидания <number>']],
  ])('has the causes of %s', (name, titles) => {
    expect(titlesOf(name).toSorted()).toEqual(titles.toSorted());
  });

  it('shows the reason beside the price that deviates', () => {
    const [failed] = failuresOf(sample.runsOf('xau-usd-price-feed'));
    expect(failed && causeOf(failed).minorityTitle).toContain('x509: certificate has expired');
  });
});
