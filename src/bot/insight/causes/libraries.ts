/** Reads messages whose parts libraries join in a way of their own: OpenSSL, AWS, MongoDB, gRPC, wasmtime, Node, Solidity. */

const sslError =
  /(?:\b[0-9a-f]{6,20}:)?\berror:[0-9a-f]{8}:[^:\n]{0,80}:[^:\n]{0,80}:([^:\n]{1,120})(?::[^:\s]{0,200}:\d{1,6}:?)?/gi;
const awsError = /\boperation error ([\w ]{1,40}): (\w{1,80}), /g;
const awsAnswer =
  /(?:exceeded maximum number of \w{1,20}, \d{1,4}, )?https response error StatusCode: (\d{1,3}), RequestID: [^\s,]{0,100}, (?:HostID: [^\s,]{0,200}, )?(?:api error )?/g;

/** `TrackingId:5d46d932_G7, SystemTracker:…, Timestamp:2026-…`, as Azure ends a message. */
const trackingIds =
  /[\s,.](?:(?:tracking|activity|request|trace|correlation)id|systemtracker|time(?:stamp)?):(?=\S)[^\s,<"}]{1,100}/gi;
const mongoIndex = /\bcollection: ([\w.-]{1,120}) index: ([\w.-]{1,120}) dup key: ?(?:\{[^{}\n]{0,300}\}?)?/g;
const awsRequest = /\n?\s{0,4}\bstatus code: \d{3}, request id: [\w-]{0,60}(?:, host id: \S{0,120})?/g;
/** `1: 0x9aaa7 - module!_start: wasm trap: …`: the fault follows the last frame. */
const wasmFrame = /^\s{0,8}\d{1,4}: {1,4}0x[\da-f]{1,16} - (?:[^:\n]|:(?! )){1,300}(?:: |$)/gm;
const wasmHeader = /\berror while executing at wasm backtrace:?\s?/g;
/** `DiscordAPIError[10015]: …`, `Error [ERR_TLS_CERT_ALTNAME_INVALID]: …`. */
const codeOfClass = /\b(\w{0,60}(?:Error|Exception)) ?\[([A-Z][A-Z_\d]{3,60}|\d{1,6})\]:/g;
const classInBrackets = /\bDOMException \[(\w{1,60})\]/g;
const hardhatRevert =
  /(?:\bVM Exception while processing transaction: )?\breverted with (?:reason string|custom error) (?:'([^'\n]{0,400})'|"([^"\n]{0,400})")/g;
/** `thread 'main' panicked at 'message', src/lib.rs:3:2`, and its later form with the message on the next line. */
const rustPanic =
  /\bthread '[^'\n]{0,60}' panicked at (?:'([^'\n]{1,400})', [^\s,]{1,120}|[^\s,]{1,120}:\d{1,6}:\d{1,6}:\n)/g;
/** `(SecretNotFound) A secret …`. */
const leadingCode = /(?<=^|\n|: )\(([A-Z][a-z]{1,40}(?:[A-Z][a-z]{1,40}){1,6})\) (?=[A-Z])/g;
/** A message as an argument: `FailedOp(0, "AA21 didn't pay prefund")`, `RpcError("no such pool here")`. */
const argument = /\b([A-Z]\w{2,60})\((?:[\w. -]{1,60}, ){0,3}(?:"((?:[^"\\\n]|\\.){0,400})"|'([^'\n]{0,400})')\)/g;
/** The place in a Cosmos module and the gas of a transaction, both after the fault. */
const cosmosPlace =
  /\s?\[[\w./-]{1,100}@v[\w.-]{1,40}\/[\w./-]{1,100}\.go:\d{1,6}\](?: with gas (?:wanted: \S{1,40} and gas )?used: [^\s:]{1,40}\s{0,2})?(?:: ?unknown request)?/gi;
/** The place and the amounts of gas are data of the fault, which is named twice. */
const cosmosGas = /\b(out of gas in location): \w{1,60}; gasWanted: \d{1,20}, gasUsed: \d{1,20}(?:: out of gas)?/g;
/** Times that the clients of gRPC for Node measured until the deadline. */
const grpcTimes =
  /\b(Deadline exceeded after \d{1,6}\.?\d{0,6}s), ?(?:LB pick|name resolution|metadata filters|time to|remote_addr|waiting)\b[^\n]{0,600}/g;
/** The addresses that undici tried, the trie node that geth lacks, and the details of a status of gRPC. */
const attempted = / \(attempted address(?:es)?: [^()\n]{1,400}\)/g;
const trieNode =
  /\b(missing trie node) [\da-f]{8,64} \(path [\da-f]{0,130}\)(?: state 0x[\da-f]{64} is not available, not found| <nil>)?/g;
const grpcDetails = /\s?\berror details: name = \w{1,60}[^\n]{0,2000}/g;
/** Azure asks for a visit to its documents after a line of dashes. */
const troubleshoot = /\s?-{20,100}\s?(?:To troubleshoot, visit \S{1,200})?/g;
/** The script that Redis ran, by its hash. */
const redisScript = /\.? script: [\da-f]{8,64}(?:, (?:&c|on )[^\n]{0,80})?/g;
/** Go's clock after a certificate has expired, and its guess about an authority. */
const goClock = /: current time \S{1,40}(?=\s|$)(?! is before)(?: is after \S{1,40})?/g;
const goGuess = / \(possibly because of [^\n]{0,300}$/gm;
/** `[Error: message] {` is how Node prints an error with fields; Python prints a tuple of message and data. */
const printedError = /(?<=^|: |\n)\[((?:\w{0,60}(?:Error|Exception)): [^\n[\]]{1,1000})\](?=\s?(?:$|\n|\{))/g;
const pythonTuple = /\b(\w{1,60}(?:Error|Exception)): \('([^'\n]{1,2000})'(?:, [^\n]{0,4000})?/g;
/** `[Microsoft][ODBC Driver][SQL Server]Message`: what the message passed through. */
const odbcChain = /(?<=^|: |\n)(?:\[[A-Z][\w .-]{1,60}\]){2,6}(?=\w)/g;
/** The part that V8 shows of a text that is no JSON: its first token says what came instead. */
const jsonExcerpt = /(\bUnexpected token \S{1,6}), (?:\.{3})?"[\s\S]{1,40}?"(?:\.{3})? is not valid JSON/g;
/** A status as tonic prints it, and an error of the system as Rust does. */
const printedStatus =
  /\bstatus: ['"]?([\w ]{2,40})['"]?, message: "((?:[^"\\\n]|\\.){1,800})"(?:, (?:details|metadata|source): [^\n]{0,800})?/g;
const rustStruct =
  /,? ?\b[A-Z]\w{1,40} \{ (?:[a-z_]{1,30}: [^{}",]{1,60}, ){0,4}message: "((?:[^"\\\n]|\\.){1,400})"[^{}\n]{0,200}\}/g;
/** An error of JSON-RPC as Rust and Python print it. */
const printedRpc =
  /\(code: (-?\d{1,6}), message: ([^\n(]{1,300}(?:\([^\n()]{0,80}\))?), data: (?:None|null|Some\(String\("0x[0-9a-f]{0,4000}"\)\))\)/gi;
/** Prisma shows the call and its source before the fault. */
const prismaCall =
  /\bInvalid `[^`\n]{1,100}` invocation(?: in)?:?\n(?:(?:[ \t\d→/]|\S{1,200}:\d)[^\n]{0,300}\n|\n){1,40}/g;
const grpcStatus = /\b\d{1,2} (?=[A-Z]{2,20}(?:_[A-Z]{2,20}){0,3}: )()/g;

/** @returns the text with the parts of such messages as segments, without ids of requests; linear */
export function readLibraries(text: string): string {
  const unreferenced = text.includes('[ See: ') ? text.replace(/ ?\[ See: [^\s\]]{1,300} \]/g, '') : text;
  const unmarked = unreferenced
    .replace(trackingIds, '')
    .replace(grpcStatus, '$1')
    .replace(/ \[recovered\]$/, '')
    .replace(leadingCode, '$1: ');
  const plain = readNamedParts(unmarked);
  return plain.includes('operation error') ? plain.replace(awsError, '$1 $2: ').replace(awsAnswer, '$1: ') : plain;
}

function readNamedParts(text: string): string {
  const rules: readonly (readonly [hint: string, pattern: RegExp, to: string])[] = [
    ['dup key', mongoIndex, 'collection "$1" index "$2"'],
    ['error:', sslError, '$1 '],
    ['request id: ', awsRequest, ''],
    [': 0x', wasmFrame, ''],
    ['wasm backtrace', wasmHeader, ''],
    ['reverted with ', hardhatRevert, 'execution reverted: $1$2'],
    ['panicked at ', rustPanic, '$1'],
    ['Exception [', classInBrackets, '$1'],
    ['[', codeOfClass, '$1: code $2:'],
    ['.go:', cosmosPlace, ''],
    ['out of gas in location', cosmosGas, '$1'],
    ['Deadline exceeded after ', grpcTimes, '$1'],
    ['attempted address', attempted, ''],
    ['missing trie node', trieNode, '$1'],
    ['error details: ', grpcDetails, ''],
    ['To troubleshoot', troubleshoot, '\n'],
    ['script: ', redisScript, ''],
    [': current time ', goClock, ''],
    ['possibly because', goGuess, ''],
    ['Error: ', printedError, '$1'],
    ["('", pythonTuple, '$1: $2'],
    ['][', odbcChain, ''],
    ['message: "', printedStatus, '$1: $2'],
    ['message: "', rustStruct, ': $1'],
    ['(code: ', printedRpc, 'code $1: $2'],
    [' invocation', prismaCall, ''],
    ['not valid JSON', jsonExcerpt, '$1 is not valid JSON'],
  ];
  const read = rules.reduce(
    (left, [hint, pattern, to]) => (left.includes(hint) ? left.replace(pattern, to) : left),
    text,
  );
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
