/** Messages that libraries and bodies of answers wrap in their own way: each class has one rule. */
import { describe, expect, it } from 'vitest';
import { normaliseError } from '../../../../src/bot/insight/causes/normalize-error.ts';

const read = (error: string) => normaliseError(error, 8_000);
const rpc = (error: object) => JSON.stringify({ jsonrpc: '2.0', id: 7, error });

describe('one cause', () => {
  it.each([
    [
      'a message in the data of a vague JSON-RPC error',
      'tx already in the cache',
      rpc({ code: -32603, message: 'Internal error', data: 'tx already in the cache' }),
    ],
    [
      'a variant of Rust in the data, and in a body alone',
      rpc({ code: -32000, message: 'Server error', data: { TxError: { InvalidNonce: { ours: 7 } } } }),
      '[-32000] Server error: {"TxError":{"InvalidNonce":{"ours":16}}}',
    ],
    [
      'a code of JSON-RPC for any error',
      'error code 3: execution reverted, data: "0x5274afe7"',
      'error code -32000: execution reverted, data: "0x5274afe7"',
    ],
    [
      'a complaint of a JSON schema, as text and as ajv lists it',
      'answer is wrong: data/price must be number',
      '[{"instancePath":"/price","keyword":"type","params":{"type":"number"},"message":"must be number"}]',
    ],
    [
      'a field that the message names too',
      "field 'bids' not found in type: 'query'",
      `{"errors":[{"message":"field 'bids' not found in type: 'query'","extensions":{"path":"$.selectionSet.bids"}}]}`,
    ],
    [
      'the place of a Cosmos module',
      'mismatch of sequence: incorrect account sequence',
      'mismatch of sequence: incorrect account sequence [cosmos/sdk@v0.47.5/x/ante/verify.go:269] With gas wanted: 18 and gas used: 27 : unknown request',
    ],
    [
      'the script that Redis ran',
      "READONLY You can't write against a replica.",
      "READONLY You can't write against a replica. script: 35174aee4800, on @user_script:1.",
    ],
    [
      'the clock after which a certificate has expired',
      'x509: certificate has expired: current time 2026-11-02T02:53:02Z is after 2026-11-01T23:59:59Z',
      'x509: certificate has expired: current time 2026-11-21T11:0',
    ],
    [
      'a guess about an authority',
      'x509: certificate signed by unknown authority',
      'x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying "Root 2")',
    ],
    ['an error that Node prints in brackets', 'no such table: feeds', '[Error: no such table: feeds] {\n  errno: 1\n}'],
    [
      'an error that Python prints as a tuple',
      'reverted: Pool: NO_LIQUIDITY_LEFT',
      "ContractLogicError: ('reverted: Pool: NO_LIQUIDITY_LEFT', '0x08c379a0')",
    ],
    [
      "the driver's words around a message in brackets",
      'FATAL: slots are reserved for superusers',
      'failed to connect to `host=db`: server error (FATAL: slots are reserved for superusers)',
    ],
    [
      'the source of an error as Rust prints it',
      'missing field `price` at line 1 column 77',
      'reqwest::Error { kind: Decode, source: Error("missing field `price`", line: 1, column: 77) }',
    ],
    ['an error inside another one', 'PriceOutOfRange { min: 1 }', 'OrderError(PriceOutOfRange { min: 3 })'],
    [
      'an exception as Elixir prints it',
      'account is closed',
      '{:error, %Acme.LedgerError{message: "account is closed", account: 88}}',
    ],
    ['the arguments of a call in Elixir', 'call(A, {:get, "ETH-USD"}) timed out', 'call(A, {:get, "BTC"}) timed out'],
    [
      'drivers that a message of SQL Server passed through',
      'Transaction was deadlocked on lock resources.',
      'Error: [Microsoft][ODBC Driver 18][SQL Server]Transaction was deadlocked on lock resources.',
    ],
    ['a comparison after a fault', 'relay fee not met, 0 < 110', 'relay fee not met, 317 < 574'],
    [
      'an action that failed',
      'could not detect network',
      'init step failed after 3 attempts: could not detect network',
    ],
    [
      'named values after a sentence',
      'Future nonce of account.',
      'Future nonce of account. Expected nonce: 88; got: 7',
    ],
    [
      'goroutines of a panic',
      'panic: slice bounds out of range',
      'panic: slice bounds out of range\ngoroutine 5 [running]:\nmain.split(...)\n\t/src/sig.go:56',
    ],
    [
      'an object that Node prints after the stack',
      "OOM command not allowed when used memory > 'maxmemory'.",
      "ReplyError: OOM command not allowed when used memory > 'maxmemory'.\n    at parse (/app/parser.js:179:12) {\n  command: { name: 'set', args: [ 'quote', '7' ] }\n}",
    ],
    [
      'the page of a web server',
      'GET https://a.example/fx -> 502\n<html>\n<head><title>502 Bad Gateway</title></head>\n<body><hr>nginx/1.25</body></html>',
      'GET https://a.example/fx -> 502 after 435ms\n<html>\n<head><title>502 Bad Gateway</title></head>\n<body><hr>nginx/1.27</body></html>',
    ],
    [
      'a message that is a code too',
      'Blockhash not found',
      'Blockhash not found; {"err":"BlockhashNotFound","logs":[]}',
    ],
    [
      'fields that Node prints after a stack without a brace',
      'queue is frozen',
      "queue is frozen\n    at parse (/app/a.js:9:8)\n  length: 276,\n  severity: 'ERROR',\n  code: '23505'",
    ],
    [
      'frames of Elixir',
      '** (KeyError) key :bid not found in: %{"a" => 1}\n    (feeds 0.9.0) lib/feeds.ex:58: Feeds.tick/1',
      'KeyError: key :bid not found in: %{"a" => 7}',
    ],
    [
      'what follows a timeout of .NET',
      'The request was canceled due to the configured HttpClient.Timeout of 30 seconds elapsing.',
      'The request was canceled due to the configured HttpClient.Timeout of 9 seconds elapsing.\n ---> System.TimeoutException: The operation was canceled.',
    ],
    ['a list of short ids', 'too few observations', 'too few observations (missing nodes: cD8XUr, ieEhnc, YVXj8E)'],
    [
      'the line of a statement in any language',
      'отношение "tick" не существует',
      'отношение "tick" не существует\nСТРОКА 1: SELECT 1',
    ],
    [
      'the place in which PHP threw',
      'Call to undefined method App::run()',
      'Call to undefined method App::run()\nStack trace:\n#0 {main}\n  thrown in /a.php on line 7',
    ],
    [
      'a list of secrets in any order',
      'missing secrets: BANK_KEY, FX_KEY',
      'missing secrets: FX_KEY, BANK_KEY, LEDGER_KEY',
    ],
    [
      'the exit of a process',
      'could not parse manifest feed.yaml',
      'could not parse manifest feed.yaml: exit status 1',
    ],
    [
      'what a tool says after a fault',
      'vault is sealed',
      'vault is sealed\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 1',
    ],
    [
      'a source that Rust prints',
      'reqwest::Error { kind: Request, url: "https://a.example/x", source: Error(Connect, Custom { kind: Other, error: "failed to lookup address" }) }',
      'reqwest::Error { kind: Request, url: "https://b.example/y", source: Error(Connect, Custom { kind: Other, error: "failed to lookup address" }) }',
    ],
    ['values that Rust prints', 'FeedStale { feed: "eth", age: 77 }', 'FeedStale { feed: "btc", age: 9 }'],
    ['months of other languages', 'Kurs vom 3. März 2026 ist veraltet', 'Kurs vom 17. Oktober 2026 ist veraltet'],
    ['the class that Ruby adds', 'StaleError: quote is stale', "lib/feed.rb:12:in `tick': quote is stale (StaleError)"],
    [
      'a field of a log line without quotes',
      'pool timed out',
      '2025-12-04T23:27:31Z ERROR indexer::sink: flush failed error=pool timed out rows=2813',
    ],
    [
      'the request beside an answer',
      'only 7 blocks are indexed',
      'only 7 blocks are indexed: {"response":{"status":200},"request":{"query":"{ pools are here too }"}}',
    ],
    [
      'a revert with a number',
      'execution reverted: 35',
      'liquidation keeper run 3967: ProviderError: execution reverted: 35',
    ],
    ['the index of a path', 'field is missing at path: $.result', 'field is missing at path: $[11].result'],
  ])('has %s', (_what, one, other) => {
    expect(read(other).key).toBe(read(one).key);
    expect(read(one).weight).toBeGreaterThan(0);
  });
});

describe('two causes', () => {
  it.each([
    [
      'variants in the data of a vague JSON-RPC error',
      rpc({ code: -32000, message: 'Server error', data: { TxError: { InvalidNonce: { ours: 7 } } } }),
      rpc({ code: -32000, message: 'Server error', data: { TxError: 'Expired' } }),
    ],
    [
      'unquoted descriptions',
      'nats: code=404 description=stream not found',
      'nats: code=404 description=consumer not found',
    ],
    [
      'names before the version of a secret',
      'secret feed-signer/2745eb9328d83dcdfe16d186d6467364 was not found',
      'secret webhook-hmac/2745eb9328d83dcdfe16d186d6467364 was not found',
    ],
    [
      'a certificate that is not yet valid, and one that has expired',
      'x509: certificate has expired or is not yet valid: current time 2026-11-02T02:53:02Z is after 2026-11-01T23:59:59Z',
      'x509: certificate has expired or is not yet valid: current time 2026-11-02T02:53:02Z is before 2026-11-03T00:00:00Z',
    ],
    [
      'codes that divide another code',
      '{"error":{"code":"card_declined","decline_code":"lost_card","message":"Your card was declined."}}',
      '{"error":{"code":"card_declined","decline_code":"do_not_honor","message":"Your card was declined."}}',
    ],
    [
      'messages of details below a general message',
      '{"message":"The action could not be performed.","details":[{"description":"The merchant account is restricted."}]}',
      '{"message":"The action could not be performed.","details":[{"description":"The card has expired."}]}',
    ],
    [
      'fields of pydantic',
      '1 validation error for Payout\niban\n  Field required [type=missing, input_value={}, input_type=dict]',
      '1 validation error for Payout\ncurrency\n  Field required [type=missing, input_value={}, input_type=dict]',
    ],
    ['images', 'cannot pull image "ghcr.io/acme/feeds:v1.8.3"', 'cannot pull image "ghcr.io/acme/signer:v1.8.3"'],
    [
      'functions of Elixir by their arity',
      'no clause matches in Feeds.Parser.tick/1',
      'no clause matches in Feeds.Parser.tick/2',
    ],
    ['maps of fields', '{"amount":["must be greater than zero"]}', '{"currency":["is not supported"]}'],
    [
      'objects in a log line',
      '{"level":"error","msg":"step failed","error":{"code":"E_STALE","message":"price is stale"}}',
      '{"level":"error","msg":"step failed","error":{"code":"E_FUNDS","message":"vault has no funds"}}',
    ],
    [
      'codes of a directory',
      'LdapErr: DSID-0C090447, comment: AcceptSecurityContext error, data 52e, v4563',
      'LdapErr: DSID-0C090447, comment: AcceptSecurityContext error, data 775, v4563',
    ],
    ['codes at the end', 'pacs.002 rejected: AC04', 'pacs.002 rejected: AM04'],
    [
      'codes with an underscore',
      '{"errorCode":"14_006","message":"Invalid request"}',
      '{"errorCode":"14_030","message":"Invalid request"}',
    ],
    [
      'keys of Elixir',
      '** (KeyError) key :best_ask not found in: %{ts: 1}',
      '** (KeyError) key :volume_24h not found in: %{ts: 2}',
    ],
    [
      'aborts of Move',
      'MoveAbort(MoveLocation { module: ModuleId { address: 8d97, name: Identifier("price") }, function: 4 }, 777) in command 3',
      'MoveAbort(MoveLocation { module: ModuleId { address: 8d97, name: Identifier("price") }, function: 4 }, 812) in command 0',
    ],
    [
      'properties of a validator',
      "Validation failed: 'Creditor Bic' must not be empty",
      "Validation failed: 'Debtor Iban' must not be empty",
    ],
    [
      'details of a status',
      '{"status":"rejected","status_detail":"cc_high_risk"}',
      '{"status":"rejected","status_detail":"cc_bad_code"}',
    ],
  ])('have %s', (_what, one, other) => {
    expect(read(other).key).not.toBe(read(one).key);
  });
});

describe('a title', () => {
  it.each([
    [
      'the code before a message',
      'Operación 4126EUIJ rechazada: SIS0042: Error en la firma',
      'SIS0042: Error en la firma',
    ],
    [
      'the class of an exception before a long message',
      'ExecutionException: org.apache.kafka.common.errors.RecordTooLargeException: The message is 1889103 bytes when serialized which is larger than 1048576, which is the value of the max.request.size configuration.',
      'RecordTooLargeException: The message',
    ],
  ])('has %s', (_what, error, part) => {
    expect(read(error).title).toContain(part);
  });
});

it('a reason that was decoded from cut data is not added to the same reason', () => {
  const reason = 'UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT';
  const hex = Buffer.from(reason).toString('hex').slice(0, 40);
  const data = `0x08c379a0${'20'.padStart(64, '0')}${reason.length.toString(16).padStart(64, '0')}${hex}`;
  expect(read(`execution reverted: ${reason}, ${data}`).key).toBe(read(`execution reverted: ${reason}`).key);
});
