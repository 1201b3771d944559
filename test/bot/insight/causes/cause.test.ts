/** Causes of failures: grouping and titles. */
import { describe, expect, it } from 'vitest';
import { causeOf, groupByCause, withCause } from '../../../../src/bot/insight/causes/cause.ts';

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
    ['codes of contracts', 'execution reverted: BAL#507', 'execution reverted: BAL#406'],
    ['codes before a message', 'FailedOp(0, "AA21 lacks its prefund")', 'FailedOp(0, "AA25 lacks its prefund")'],
    ['names of several words', "quota metric 'Read requests' exceeded", "quota metric 'Write requests' exceeded"],
    ['methods in brackets', 'no such fragment (method="bid()", x=1)', 'no such fragment (method="ask()", x=1)'],
    [
      'selectors of a bracket that is cut',
      `reverted (data="0xe2517d3f${'0'.repeat(40)}`,
      `reverted (data="0xfb8f41b2${'0'.repeat(40)}`,
    ],
    [
      'actions before a vague end',
      'reading feed: context deadline exceeded',
      'reading ledger: context deadline exceeded',
    ],
    [
      'statuses before a request',
      'failed with status code 404: GET https://a.example/v1/x',
      'failed with status code 500: GET https://a.example/v1/x',
    ],
    [
      'faults after frames of WASM',
      'error while executing at wasm backtrace:\n    0: 0x1f - main!run: wasm trap: out of fuel',
      'error while executing at wasm backtrace:\n    0: 0x1f - main!run: wasm trap: integer overflow',
    ],
    [
      'lists after an empty line',
      'Error making API request.\n\nCode: 503. Errors:\n\n* Vault is sealed',
      'Error making API request.\n\nCode: 400. Errors:\n\n* invalid role',
    ],
    [
      'the last line of a log',
      'failed. Logs: ["a","b failed: no lamports"]',
      'failed. Logs: ["a","b failed: no units"]',
    ],
    ['words that are units', 'order 64128: second leg not filled', 'order 64128: first leg not filled'],
    ['units that belong to a noun', 'swap 7 day count is unknown', 'swap 7 month count is unknown'],
    ['codes in capitals', 'unknown error: EPERM', 'unknown error: EBUSY'],
    ['reasons in capitals', 'transfer rejected: KYC', 'transfer rejected: AML'],
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
    ['quoted ids of few digits', 'no secret named "abc12def" found', 'no secret named "bch_aaa00aa0" found'],
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
    ['codes that some clients add', 'error -32000: filter was removed', '{"error":{"message":"filter was removed"}}'],
    ['classes of errors', 'MongoServerError: not primary', 'not primary'],
    ['codes of classes', 'DiscordAPIError[10015]: Unknown Webhook', '{"message":"Unknown Webhook","code":10015}'],
    ['actions before a fault', 'resolve recipient: name is unconfigured', 'name is unconfigured'],
    ['methods before a fault', 'eth_call: header is pruned', 'header is pruned'],
    ['actions on nothing in particular', 'read response: context deadline exceeded', 'context deadline exceeded'],
    ['requests before a fault', 'Get "https://a.example/x": cookie jar is full', 'cookie jar is full'],
    ['identifiers that repeat a message', 'Access Denied for bucket: AccessDenied', 'Access Denied for bucket'],
    [
      'advice after a fault',
      'Monthly capacity is used up. Visit https://a.example to upgrade.',
      'Monthly capacity is used up.',
    ],
    [
      'parameters in brackets',
      'no such name (value="a.eth", info={ "a": 1 }, code=BAD, version=6.1)',
      'no such name (value="b.eth", ver',
    ],
    [
      'escaped bodies of requests',
      String.raw`no reply (requestBody="{\"id\":1,\"x\":\"insufficient funds\"}", url="https://a.example")`,
      String.raw`no reply (requestBody="{\"id\":2}", url="https://b.example")`,
    ],
    [
      'messages that are arguments',
      'FailedOp(0, "AA21 lacks its prefund")',
      'reverted with reason: AA21 lacks its prefund',
    ],
    ['printed objects', "lock is lost\n    at run (a.js:1:2) {\n  '$metadata': { attempts: 1 }\n}", 'lock is lost'],
    ['reactions to a fault', 'margin feed is stale', 'margin feed is stale; giving up'],
    ['the status of a process', 'margin feed is stale', 'margin feed is stale; exit status 1'],
    [
      'faults that came of it',
      'margin feed is stale',
      'margin feed is stale; also failed to remove file: no such file',
    ],
    ['the order of a list', 'no quotes from kraken, coinbase', 'no quotes from coinbase, kraken'],
    ['values of a list', 'stale feeds: ETH/USD, BTC/USD', 'stale feeds: LINK/USD'],
    ['values in capitals', 'unknown venue: KRAKN', 'unknown venue: BITSTMP'],
    ['a place in a file', 'price feed is corrupt in /srv/app/feed.php on line 12', 'price feed is corrupt'],
    ['a place in a Perl script', 'fee is zero at /srv/calc.pl line 40, <STDIN> line 3.', 'fee is zero'],
    [
      'a stack after its own header',
      'fee list is empty\nCallStack (from HasCallStack):\n  error, at List.hs:3',
      'fee list is empty',
    ],
    ['the header of klog', 'E1120 10:00:00.123456       1 feed.go:88] price ring is full', 'price ring is full'],
    ['the method in brackets', 'price heap is empty (estimateGas)', 'price heap is empty'],
    [
      'documents after a fault',
      'HttpError: no credentials are bound - https://a.example/rest',
      'no credentials are bound',
    ],
    [
      'the order of keys',
      '{"error":"bad_key","detail":"key is not bound"}',
      '{"detail":"key is not bound","error":"bad_key"}',
    ],
    ['measured values', 'Deadline passed after 5s,LB pick: 0.007s,remote_addr=10.1.1.1:1', 'Deadline passed after 7s'],
    ['positions in brackets', 'expected a brace (line 3 column 17)', 'expected a brace'],
    ['constants in brackets', 'database is locked (SQLITE_BUSY)', 'database is locked'],
    [
      'lengths of lists',
      'bad indexers: {0xab12cd34: Bad(1), 0xcd34ab12: Bad(1)}',
      'bad indexers: {0xab12cd34: Bad(1)}',
    ],
    ['how a revert is announced', "reverted with reason string 'Pair: locked'", 'execution reverted: "Pair: locked"'],
    [
      "the library's words around a reason",
      'The contract function "swap" reverted with the following reason:\nToo little received',
      'execution reverted: Too little received',
    ],
    [
      "the node's words after the library's",
      'The request took too long to respond.\n\nDetails: timed out',
      'The request took too long to respond.',
    ],
    [
      'what comes before a fatal error',
      '<--- Last few GCs --->\n\n[30:0xfb] 66 ms\n\nFATAL ERROR: heap limit reached',
      'FATAL ERROR: heap limit reached',
    ],
    [
      'where Rust panicked',
      "thread 'main' panicked at 'attempt to subtract with overflow', src/a.rs:3:2",
      "thread 'io' panicked at src/b.rs:31:22:\nattempt to subtract with overflow",
    ],
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
      otherError: { title: 'price <number> is stale', nodes: 3 },
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

  it.each([',a=1', ', a: 1', ', a 1', '; a_b=0xab', '(a=', '(a="', "A('", 'failed to send '])(
    'ends for a long text of %s',
    (unit) => {
      expect(titleOf(unit.repeat(1_500))).toBeTypeOf('string');
      expect(titleOf(`${unit.repeat(1_500)} x`)).toBeTypeOf('string');
    },
  );

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
    const [lost, full] = groupByCause(runs.map((one) => withCause(one)));
    expect(lost).toMatchObject({ count: 3, sample: runs[1] });
    const [ten, eleven, twelve] = [10, 11, 12].map((hour) => Date.parse(`2026-11-20T${hour}:00:00Z`));
    expect([lost?.first, lost?.last]).toEqual([ten, twelve]);
    expect([...(lost?.workflows ?? [])]).toEqual([
      ['eu', { first: ten, last: eleven }],
      ['payments', { first: twelve, last: twelve }],
    ]);
    expect(full).toMatchObject({ count: 1, cause: { title: 'disk full' } });
  });

  it('are none for no failures', () => {
    expect(groupByCause([])).toEqual([]);
  });
});
