/** Reads messages whose parts libraries join in a way of their own: OpenSSL, AWS, MongoDB, gRPC, wasmtime, Node, Solidity. */

type Rule = readonly [pattern: RegExp, to: string];

/** Text that a library puts around a message, with an example of each, and its replacement: the message as a segment of its own. */
const rules: readonly Rule[] = [
  // E1120 10:00:00.123456       1 feed.go:88] price ring is full
  [/^[DIWEF]\d{4} [\d:.]{8,20} {1,8}\d{1,8} [\w.-]{1,80}:\d{1,6}\] /gm, ''],
  // Undefined array key in /var/www/app/Price.php on line 44; … at calc.pl line 12.; … : file Swift/Array.swift, line 600
  [
    /(?<!thrown)(?: in| at|: file) [\w./\\@-]{1,200}\.\w{1,8}(?:(?::\d{1,6}){1,2}|,?(?: on)? line \d{1,6}(?:, <\w{1,20}> line \d{1,6})?)\.?$/gm,
    '',
  ],
  // failed SASL auth (FATAL: password authentication failed)
  [/ \(((?:FATAL|ERROR|PANIC|\w{2,60}(?:Error|Exception)): [^\n]{1,2000})\)$/gm, ': $1'],
  // TrackingId:5d46d932_G7, SystemTracker:…, Timestamp:2026-…
  [
    /[\s,.](?:(?:tracking|activity|request|trace|correlation)id|systemtracker|time(?:stamp)?):(?=\S)[^\s,<"}]{1,100}/gi,
    '',
  ],
  // 14 UNAVAILABLE: No connection established
  [/\b\d{1,2} (?=[A-Z]{2,20}(?:_[A-Z]{2,20}){0,3}: )/g, ''],
  [/ \[recovered\]$/, ''],
  // (SecretNotFound) A secret …
  [/(?<=^|\n|: )\(([A-Z][a-z]{1,40}(?:[A-Z][a-z]{1,40}){1,6})\) (?=[A-Z])/g, '$1: '],
  // E11000 duplicate key error, full error: {'index': 0, 'code': 11000}
  [/, full error: [^\n]{0,4000}/g, ''],
  // RequestId: 4bf9 Error: Task timed out
  [/\bRequestId: [\w-]{8,40} (?=Error: )/g, ''],
  // $[11].result
  [/\$\[\d{1,9}\]/g, '$$'],
  // {:error, %Acme.LedgerError{message: "account is closed", account: 88}}
  [/\{:error, %[A-Z][\w.]{0,60}\{[^{}\n]{0,400}\bmessage: "([^"\n]{1,400})"[^{}\n]{0,400}\}\}/g, '$1'],
  // %{symbol: "BTC-USD", ts: 17}
  [/%(?:[A-Z][\w.]{0,60})?\{[^{}\n]{0,1000}\}/g, '…'],
  // execution reverted: 35
  [/\b(execution reverted): (\d{1,4})(?=$|\n)/g, '$1 with code $2'],
  // MoveAbort(MoveLocation { module: ModuleId { address: 8d97, name: Identifier("price_info") }, … }, 777) in command 3
  [
    /\bMoveAbort\([^\n]{0,300}? name: Identifier\("(\w{1,60})"\)[^\n]{0,300}?\}, (\d{1,9})\)(?: in command \d{1,4})?/g,
    'MoveAbort in module "$1" with code $2',
  ],
  // OvercommitTracker decision: Query was selected to stop by OvercommitTracker.: While executing AggregatingTransform.
  [/\.? OvercommitTracker decision: [^\n:]{1,200}|: While executing \w{1,80}\.?/g, ''],
  // E11000 duplicate key error collection: a.b index: address_1 dup key: { x: 1 }
  [
    /\bcollection: ([\w.-]{1,120}) index: ([\w.-]{1,120}) dup key: ?(?:\{[^{}\n]{0,300}\}?)?/g,
    'collection "$1" index "$2"',
  ],
  // 1408F10B:error:0A000086:SSL routines:tls_post:certificate verify failed:../ssl/statem.c:1889:
  [
    /(?:\b[0-9a-f]{4,20}:)?\berror:[0-9a-f]{8}:[^:\n]{0,80}:[^:\n]{0,80}:([^:\n]{1,120})(?::[^:\s]{0,200}:\d{1,6}:?)?/gi,
    '$1 ',
  ],
  // status code: 403, request id: 4bf9
  [/\n?\s{0,4}\bstatus code: \d{3}, request id: [\w-]{0,60}(?:, host id: \S{0,120})?/g, ''],
  // 1: 0x9aaa7 - module!_start: wasm trap: …
  [/^\s{0,8}\d{1,4}: {1,4}0x[\da-f]{1,16} - (?:[^:\n]|:(?! )){1,300}(?:: |$)/gm, ''],
  // reverted with reason string 'Pair: locked'
  [
    /(?:\bVM Exception while processing transaction: )?\breverted with (?:reason string|custom error) (?:'([^'\n]{0,400})'|"([^"\n]{0,400})")/g,
    'execution reverted: $1$2',
  ],
  // thread 'main' panicked at 'message', src/lib.rs:3:2
  [/\bthread '[^'\n]{0,60}' panicked at (?:'([^'\n]{1,400})', [^\s,]{1,120}|[^\s,]{1,120}:\d{1,6}:\d{1,6}:\s)/g, '$1'],
  // DOMException [TimeoutError]: …
  [/\bDOMException \[(\w{1,60})\]/g, '$1'],
  // DiscordAPIError[10015]: …
  [/\b(\w{0,60}(?:Error|Exception)) ?\[([A-Z][A-Z_\d]{3,60}|\d{1,6})\]:/g, '$1: code $2:'],
  // [cosmos/cosmos-sdk@v0.47.5/x/auth/ante/sigverify.go:269] With gas wanted: 18 and gas used: 27
  [
    /\s?\[[\w./-]{1,100}@v[\w.-]{1,40}\/[\w./-]{1,100}\.go:\d{1,6}\]:?(?: with gas (?:wanted: \S{1,40} and gas )?used: [^\s:]{1,40}\s{0,2})?(?:: ?unknown request)?/gi,
    '',
  ],
  [/\b(out of gas in location): \w{1,60}; gasWanted: \d{1,20}, gasUsed: \d{1,20}(?:: out of gas)?/g, '$1'],
  [/ \(attempted address(?:es)?: [^()\n]{1,400}\)/g, ''],
  [
    /\b(missing trie node) [\da-f]{8,64} \(path [\da-f]{0,130}\)(?: state 0x[\da-f]{64} is not available, not found| <nil>)?/g,
    '$1',
  ],
  [/\s?\berror details: name = \w{1,60}[^\n]{0,2000}/g, ''],
  [/\s?-{20,100}\s?(?:To troubleshoot, visit \S{1,200})?/g, '\n'],
  // READONLY You can't write against a read only replica. script: 3517, on @user_script:1.
  [/\.? script: [\da-f]{8,64}(?:, (?:&c|on )[^\n]{0,80})?/g, ''],
  // certificate has expired: current time 2026-11-02T02:53:02Z is after 2026-11-01T23:59:59Z
  [/: current time \S{1,40}(?=\s|$)(?! is before)(?: is after \S{1,40})?/g, ''],
  [/ \(possibly because of [^\n]{0,300}$/gm, ''],
  // [Error: no such table: feeds] {
  [/(?<=^|: |\n)\[((?:\w{0,60}(?:Error|Exception)): [^\n[\]]{1,1000})\](?=\s?(?:$|\n|\{))/g, '$1'],
  // ContractLogicError: ('reverted: Pool: EXPIRED', '0x08c379a0')
  [/\b(\w{1,60}(?:Error|Exception)): \('([^'\n]{1,2000})'(?:, [^\n]{0,4000})?/g, '$1: $2'],
  // [Microsoft][ODBC Driver 18][SQL Server]Transaction was deadlocked
  [/(?<=^|: |\n)(?:\[[A-Z][\w .-]{1,60}\]){2,6}(?=\w)/g, ''],
  // status: Unavailable, message: "no healthy upstream", details: []
  [
    /\bstatus: ['"]?([\w ]{2,40})['"]?, message: "((?:[^"\\\n]|\\.){1,800})"(?:, (?:details|metadata|source): [^\n]{0,800})?/g,
    '$1: $2',
  ],
  // Invalid `prisma.report.create()` invocation in /app/src/a.ts:18:22 → 18 await prisma.report.create(
  [/\bInvalid `[^`\n]{1,100}` invocation(?: in)?:?\n(?:(?:[ \t\d→/]|\S{1,200}:\d)[^\n]{0,300}\n|\n){1,40}/g, ''],
  // 1 validation error for Quote\nbid\n  Field required [type=missing, input_value={}, input_type=dict]
  [/\n([\w.]{1,80})\n\s{1,4}(?=[A-Z][^\n[]{1,300}\[type=)/g, ': field "$1": '],
  // ** (FunctionClauseError) no function clause matching
  [/^\*\* \((\w[\w.]{1,80})\) /gm, '$1: '],
  // 0/7 nodes are available: 3 Insufficient memory. preemption: 0/7 nodes are available: …
  [/\.? preemption: \d{1,5}\/\d{1,5} nodes are available[^\n]{0,400}/g, ''],
  // The request was canceled due to the configured HttpClient.Timeout of 30 seconds elapsing. ---> System.TimeoutException: …
  [/(\bHttpClient\.Timeout of [^\n]{1,60} elapsing\.)[\s\S]{0,4000}/g, '$1'],
  // ---> Npgsql.PostgresException: 23505: duplicate key
  [/\s{1,10}---> /g, '\ncaused by: '],
  // LdapErr: DSID-0C090447, comment: AcceptSecurityContext error, data 52e, v4563
  [/\bdata ([\da-f]{3,4}), v[\da-f]{4}\b/g, 'code $1'],
  // lib/feed.rb:12:in `tick': quote is stale (StaleError)
  [/^[^\s:]{1,200}:\d{1,6}:in [`'][^'\n]{1,100}': ([^\n]{1,400}) \(((?:\w{1,40}::){0,4}\w{1,60})\)$/gm, '$2: $1'],
  // GenServer.call(Acme.Pricer, {:price, "ETH-USD"}, 5000)
  [/(?<=\{:\w{1,40}, )"[^"\n]{0,200}"/g, '…'],
  // <ContentLengthError: 400, message='Not enough data', url=URL('https://a.example')>
  [/<?\b(\w{2,60}Error): (\d{3}), message='([^'\n]{1,300})'(?:, url=[^\s>]{1,300})?>?/g, '$1: code $2: $3'],
  // Unexpected token 'N', "{"a":NaN}" is not valid JSON
  [/(\bUnexpected token \S{1,6}), (?:\.{3})?"[\s\S]{1,40}?"(?:\.{3})? is not valid JSON/g, '$1 is not valid JSON'],
  // operation error S3: GetObject, https response error StatusCode: 403, RequestID: 8Z1M, api error AccessDenied: …
  [/\boperation error ([\w ]{1,40}): (\w{1,80}), /g, '$1 $2: '],
  [
    /(?:exceeded maximum number of \w{1,20}, \d{1,4}, )?https response error StatusCode: (\d{1,3}), RequestID: [^\s,]{0,100}, (?:HostID: [^\s,]{0,200}, )?(?:api error )?/g,
    '$1: ',
  ],
  // called `Result::unwrap()` on an `Err` value: …
  [/\bcalled `Result::\w{2,20}\(\)` on an `Err` value: /g, ''],
  // OrderError(PriceOutOfRange { min: 3, max: 9 })
  [/\b([A-Z]\w{2,60})\((?=[A-Z]\w{2,60} \{)/g, '$1: '],
];

/** A message as an argument: `FailedOp(0, "AA21 didn't pay prefund")`, `RpcError("no such pool here")`. */
const argument = /\b([A-Z]\w{2,60})\((?:[\w. -]{1,60}, ){0,3}(?:"((?:[^"\\\n]|\\.){0,400})"|'([^'\n]{0,400})')\)/g;

/** @returns the text with the parts of such messages as segments, without ids of requests; linear */
export function readLibraries(text: string): string {
  const read = rules.reduce((left, [pattern, to]) => left.replace(pattern, to), text);
  return read.replace(argument, (all, name: string, double?: string, single?: string) => {
    const said = double ?? single ?? '';
    return /\S\s\S{1,40}\s\S/.test(said) ? `${name}: ${said}` : all;
  });
}

const panic = /0x4e487b710{62}([0-9a-f]{2})/gi;
const revertWithText = /0x08c379a0([0-9a-f]{128,4000})/gi;

/** Solidity's `Panic(uint256)`, and its `Error(string)`: ABI-encoded as an offset, a length and the text in 32 bytes each. */
export function decodeReverts(text: string): string {
  const named = text.replace(panic, (_all, code: string) => `panic code 0x${code}`);
  return named.replace(revertWithText, (all, hex: string, offset: number) => {
    if (!/^0{62}20/.test(hex)) return all;
    const length = Number.parseInt(hex.slice(64, 128), 16);
    const bytes = hex.slice(128, 128 + 2 * Math.min(length, 1_000)).match(/../g) ?? [];
    const reason = new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
    if (reason.trim() === '') return all;
    return named.lastIndexOf(reason, offset) >= 0 ? '' : `: ${reason}`;
  });
}
