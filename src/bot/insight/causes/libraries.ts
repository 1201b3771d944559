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
  [/ \(((?:FATAL|ERROR|PANIC|\w{2,60}(?:Error|Exception)): (?:[^\n()]|\([^\n()]{0,200}\)){1,2000})\)$/gm, ': $1'],
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
  // An error occurred … (Service: Sts, Status Code: 403, Request ID: 0b8c)
  [/ \(Service: [\w ]{1,60}, Status Code: \d{3}[^()\n]{0,300}\)/g, ''],
  // User: arn:aws:sts::…:assumed-role/orders/i-0f3b is not authorized
  [/\b(assumed-role\/[\w+=,.@-]{1,80})\/[\w+=,.@-]{1,80}/g, '$1'],
  // (406, "PRECONDITION_FAILED - …"), reply-code=406, reply-text=PRECONDITION_FAILED - …, class-id=50, method-id=10
  [/(?<!\w)\((\d{1,6}), (?:"([^"\n]{3,1000})"|'([^'\n]{3,1000})')\)/g, 'code $1: $2$3'],
  [
    /(?:#method<[\w.]{1,60}>\()?reply-code=(\d{3}), reply-text=([^\n=]{1,600}), class-id=\d{1,5}, method-id=\d{1,5}\)?/g,
    'code $1: $2',
  ],
  // <HttpError 429 when requesting https://… returned "Quota exceeded". Details: "[…]">
  [/<HttpError (\d{3}) when requesting \S{1,2000} returned "([^"\n]{1,1000})"[^\n]{0,4000}/g, 'code $1: $2'],
  [/\b(?:ERROR|WARN|WARNING|FATAL|CRITICAL|SEVERE) \[[\w.$:,-]{1,80}\] (?=\S)/g, ''],
  // WARN 1 --- [nio-8080-exec-4] o.s.Resolver : Resolved [org.springframework.BindException: …]
  [/\b\d{1,8} --- \[[^[\]\n]{1,60}\] [\w.$/[\]-]{1,80} ?: /g, ''],
  [/\bResolved \[([^\n]{3,2000})\]$/gm, '$1'],
  // Warning FailedScheduling 3m12s (x4 over 18m) default-scheduler 0/9 nodes are available
  [
    /^(?:Warning|Normal) (\w{3,40}) (?:\d{1,4}[smhd]\w{0,6} )(?:\(x\d{1,6} over \w{1,10}\) )?[\w-]{3,40} (?=\S)/gm,
    '$1: ',
  ],
  // #<Faraday::ConnectionFailed wrapped=#<Net::OpenTimeout: execution expired>>
  [/#<([A-Z][\w:]{1,80})(?: wrapped=#<[A-Z][\w:]{1,80})?: ([^<>\n]{1,1000})>{1,2}/g, '$1: $2'],
  // … response: {…} {"exception":"[object] (GuzzleHttp\\Exception\\ClientException(code: 422): …
  [/ \{"exception":"\[object\] \([\s\S]{0,20000}/g, ''],
  // GRPC::Unavailable: 14:failed to connect. debug_error_string:{…}
  [/\.? ?debug_error_string:[^\n]{0,4000}/g, ''],
  [/\b(GRPC::\w{3,40}): \d{1,2}:/g, '$1: '],
  // [LDAP: error code 49 - 80090308: LdapErr: …]
  [/(?<=^|: |\n)\[(LDAP: [^[\]\n]{1,600})\]/g, '$1'],
  // [Errno 13] Permission denied: '/var/lib/a.csv'; ENOSPC: no space left on device, write
  [/\[Errno -?\d{1,5}\] ([A-Z][\w ,-]{3,60}): (?:'([^'\n]{1,300})'|"([^"\n]{1,300})")/g, '$2$3: $1'],
  [/\[Errno -?\d{1,5}\] (?=[A-Z])/g, ''],
  [/\bE(?:NOSPC|DQUOT|ROFS|IO): ([a-z][a-z -]{3,60}), [a-z]{2,12}(?=$|\n)/g, '$1'],
  // write /data/chunks/0041: no space left on device: whichever file it is
  [
    /(?:\b(?:open|read|write|mkdir|stat) )?(?<![^\s'"(])\/[^\s:]{1,300}: (?=(?:no space left on device|disk quota exceeded|read-only file system)\b)/gi,
    '',
  ],
  [/,? (?:\(configured timeouts: [^()\n]{1,200}\), )?Timeout: [\d.]{1,10}s, Topology Description: [^\n]{0,4000}/g, ''],
  // (Status 404) No such customer
  [/(?<=^|: |\n)\(Status (\d{3})\) /g, 'code $1: '],
  // workflows/engine.go:207 capabilityID=… logger=WorkflowEngine stacktrace=…
  [/ [\w./-]{1,100}\.go:\d{1,6} {1,20}(?=\w{1,40}=)/g, ' '],
  [/ (?:logger|stacktrace|version|caller)=\S{1,400}/g, ''],
  // ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed) (0x8856…, 12, 25)
  [
    /\b([A-Z]\w{2,60})\((?:address|u?int\d{0,3}|bytes\d{0,2}|bool|string)\b[^()\n]{0,300}\)(?:\n? ?\([^()\n]{0,400}\))?/g,
    '$1(…)',
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
  // pyodbc.IntegrityError: ('23000', "[23000] [Microsoft][ODBC Driver 18]Cannot insert …")
  [
    /\b(\w{1,60}(?:Error|Exception)): \('[^' \n]{1,20}', (?:"([^"\n]{3,2000})"|'([^'\n]{3,2000})')[^\n]{0,400}/g,
    '$1: $2$3',
  ],
  // ContractCustomError: ('0x118cdaa7…', '0x118cdaa7…')
  [/(?:\w{1,40}\.){0,4}\bContractCustomError: \('(0x[\da-f]{8,4000})', '[^'\n]{0,4000}'\)/g, 'custom error $1'],
  // ContractLogicError: ('reverted: Pool: EXPIRED', '0x08c379a0')
  [/\b(\w{1,60}(?:Error|Exception)): \('([^'\n]{1,2000})'(?:, [^\n]{0,4000})?/g, '$1: $2'],
  // [Microsoft][ODBC Driver 18][SQL Server]Transaction was deadlocked
  [/(?<=^|: |\n)(?:\[[\dA-Z]{5}\] ?)?(?:\[[A-Z][\w .-]{1,60}\]){2,6}(?=\w)/g, ''],
  // (asyncpg.IntegrityError) <class 'asyncpg.exceptions.UniqueViolationError'>: duplicate key
  [/<class '[\w.]{1,120}'>: /g, ''],
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
  [/ \[type=(\w{1,60}), input_value=(?:(?! \[type=)[^\n]){0,1000}, input_type=\w{1,60}\]/g, ' (code $1)'],
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
  // OrderError(PriceOutOfRange { min: 3, max: 9 })
  [/\b([A-Z]\w{2,60})\((?=[A-Z]\w{2,60} \{)/g, '$1: '],
];

/** A message as an argument: `FailedOp(0, "AA21 didn't pay prefund")`, `RpcError("no such pool here")`. */
const argument =
  /\b([A-Z]\w{2,60})\((?:(?:[\w. -]{1,60}|'[\w.-]{1,60}'), ){0,3}(?:"((?:[^"\\\n]|\\.){0,400})"|'([^'\n]{0,400})')\)/g;

/** @returns the text with the parts of such messages as segments, without ids of requests; linear */
export function readLibraries(text: string): string {
  const read = rules.reduce((left, [pattern, to]) => left.replace(pattern, to), text);
  return read.replace(argument, (all, name: string, double?: string, single?: string) => {
    const said = double ?? single ?? '';
    const isMessage = /\S\s\S{1,40}\s\S/.test(said) || (/(?:Error|Exception)$/.test(name) && /\s/.test(said));
    return isMessage ? `${name}: ${said}` : all;
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
