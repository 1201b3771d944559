/** Reduces an error to running text: without stack frames, details after an empty line, escape sequences, bodies, URLs and markup. */
import { decodeReverts, readLibraries } from './libraries.ts';
import { isPlaceholder, nameOpening, placeholder, withPlaceholders } from './placeholders.ts';
import { isErrorData, readStructures, readXml } from './structures.ts';
import { fieldKeys, isCodeKey, isMessageKey, letterIdPattern, termPattern } from './vocabulary.ts';

/**
 * @param unitsMax units that are read: a quarter from the beginning, which names the source, the rest from the end, which names the fault
 * @returns lines that belong together, each ended by a line break
 */
export function plainText(error: string, unitsMax: number): string {
  const printable = withPlaceholders(bothEnds(error, unitsMax / 4, (3 * unitsMax) / 4))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours are what is to be removed
    .replace(/\u001b\[[0-9;]{0,20}[A-Za-z]/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(cutAside, '')
    .replace(/\[[0-9a-f:]{2,45}\](?::\d{1,5})?/gi, (all) => (/^[^\]]{0,45}:/.test(all) ? placeholder.host : all))
    .replace(/\bcode = "?([^\s",]{1,60})"?,? desc = /g, '$1: ');
  const once = readNested(withLineBreaks(rootLast(printable)).replace(grouped, joinGroups)).replace(/\\(["'])/g, '$1');
  // A body in a quoted text, whose quotation marks were escaped once more.
  const read = /\{\s{0,4}"/.test(once) ? readStructures(once) : once;
  return readPairs(shortenUrls(withoutDetails(withoutMarkup(read)).replace(documents, '')));
}

/** An id or a state in a bracket that was cut. */
const cutAside = / \((?:SQLSTATE|Service|request|req|trace|batch|attempt|line|see|code)?(?:[ :=#][\w-]{0,20})?$/i;

const pointer =
  '(?:please )?(?:for (?:more |further )?(?:details|info|information|help|more|assistance),? )?(?:see|refer|cf\\.?|(?:read|learn|find out|find) more|(?:more |further |additional )?(?:info|information|details|help|reading|docs?|documentation|reference)|more|runbook|faq|troubleshooting|wiki|visit|consult|(?:read|check|look)(?= (?:more|also|at|in|here|about|our|the)))(?: (?:more|also|at|in|on|to|here|this|page|about|our|the|docs?|documentation|guide|article|manual|details|runbook)){0,5}';
/** `; see also: https://…`, `. Learn more: https://…`, `, refer to the docs at https://…` at the end of a line: where to read about it. */
const documents = new RegExp(
  `(?<=\\S)(?:[;,.|]? ?\\n| ?[;,|([] ?|[.] | (?:[-–—|]|[-=]>) | (?=see\\b|refer))${pointer}:? [<(]?https?://[^\\s<>()[\\]]{1,500}(?: (?:for|to) [\\w ]{1,60})?[)>\\].]{0,3}(?=\\s{0,3}(?:$|\\n))`,
  'gi',
);

/** Python prints the first fault first, others print it last. */
function rootLast(text: string): string {
  const faults = text.split('The above exception was the direct cause of the following exception:');
  return faults.length === 1
    ? text
    : faults
        .reverse()
        .map((fault) => fault.trim())
        .join('\n');
}

/** A message in a body may have parameters and a body of its own. */
const depthMax = 3;

function readNested(text: string, depth = 1): string {
  const read = readStructures(readXml(decodeReverts(readLibraries(text))));
  return read === text || depth === depthMax ? read : readNested(read, depth + 1);
}

/** @returns the text itself if it is no longer than both */
export function bothEnds(text: string, headUnits: number, tailUnits: number): string {
  if (text.length <= headUnits + tailUnits) return text;
  return `${text.slice(0, headUnits)} … ${text.slice(-tailUnits)}`;
}

const grouped = /(?<![\w.,])\d{1,3}(?:[.,'\u00a0\u202f]\d{3}){1,8}(?:[.,]\d{1,9})?(?![\w.,]\d)/g;

/** `1,234.50`, `1.234,50` and `1'234.50` are one number each; an address of four parts is none. */
const joinGroups = (found: string) => (/^\d+(?:\.\d+){3}$/.test(found) ? found : found.replace(/\D/g, ''));

const page = /<(?:!doctype html|html|head|body|title|h1|center|p|div)\b[^<>]{0,300}>(?!["'`])/i;
/** The parts of a page that are read: its title, and the text that a framework shows as code. */
const telling = /<(?:title|pre)\b[^<>]{0,300}>([^<]{1,600})/gi;

/** @returns the text with what a page says in place of the page, or without its tags if it has no title */
function withoutMarkup(text: string): string {
  const start = page.exec(text)?.index;
  if (start === undefined) return text;
  const end = /<\/html>/i.exec(text)?.index ?? text.length;
  const body = text.slice(start, end);
  const said = new Set([...body.matchAll(telling)].map(([, words = '']) => words.trim()));
  const shown = said.size > 0 ? [...said].join('\n') : body.replace(/(?:\s{0,20}<[^<>]{1,300}>){1,50}\s{0,20}/g, '\n');
  return `${text.slice(0, start).trimEnd()}\n${shown}\n${text.slice(end + '</html>'.length).trimStart()}`;
}

const frame =
  /^\s*(?:at\s+\S|from\s+\S{1,200}:\d|[^\s:]{1,300}:\d{1,6}:in [`'"]|(?:[\w.-]{1,60}\/){1,12}[\w.-]{1,60}\.(?:\(\*?\w{1,60}\)\.)?\w{1,60}(?:\.func\d{1,4}){0,4}$|\S{1,300}\.go:\d{1,6}(?: \+0x[\da-f]{1,8})?$|(?:à|bei|en|em|w|в) [\w$.<>`+]{3,300}\(|-{3} [^\n]{1,120} -{3}$|(?:started|finished|restart count|ready):\s|compiled code at |File "|\.{3} \d+ (?:more|common)|\d+:\s+0x|#\d+\s|goroutine \d|note:|hint:|request body:|help:|docs?:|version:|detail:|context:|statement:|where:|(?:line|ligne|zeile|línea|linha|riga|строка) \d{1,6} ?:(?! (?:cannot|could|did|field|mapping) )|require stack:|logs:\s?$|\[\]\.\s?$|- \/\S{1,200}$|[\]})]{1,9},?\s*$|for (?:more|further) (?:information|details)|\[[^\]]{0,400}\]$|thrown in |raised (?:at|by) |execution halted|npm err!|make(?:\[\d+\])?: \*{3}|error: recipe |last message:|state:|\(\w{1,40} \d[\w.]{0,20}\) |\d{1,2}\. \p{L}{2,20}ing |begin failed--|clientconnectionid:|\p{L}{3,20}(?: \p{L}{3,20})?:\d{1,6},\p{L}{3,20}:\d)/iu;
const stackHeader =
  /^\s*(?:-{2,20} ?)?(?:traceback|call ?stack|native stack trace|(?:wasm )?stack ?trace|stack|(?:wasm |stack )?backtrace)\b[^:]{0,40}:?/i;
const causeLine =
  /^\s*(?:caused? by|cause|reason|status|details|traceback|during handling|the above exception|last error|(?:fatal |uncaught |unhandled )?(?:error|exception)|(?:[\w$]{1,60}\.){1,12}\w{1,80}(?:Exception|Error))\b/i;

const detailLine = /^\s*(?:detail|context|statement|where|hint):/i;

/** Drops the details after an empty line, unless the text before announces them or they name the cause. */
function withoutDetails(text: string): string {
  const lines: string[] = [];
  let skipped: 'nothing' | 'stack' | 'paragraph' | 'detail' = 'nothing';
  let isAfterEmpty = false;
  let before = '';
  for (const line of text.split('\n')) {
    if (line.trim() === '') {
      isAfterEmpty = lines.length > 0;
      continue;
    }
    if (/^goroutine \d+ \[/.test(line)) break;
    const isCause = causeLine.test(line);
    if (isAfterEmpty) skipped = isCause || /(?::|\bfollowing \p{L}{1,20})\s*$/u.test(before) ? 'nothing' : 'paragraph';
    else if (isCause && skipped === 'detail') skipped = 'nothing';
    isAfterEmpty = false;
    before = line;
    if (skipped === 'paragraph') continue;
    if (stackHeader.test(line)) skipped = 'stack';
    else if (skipped === 'stack' && !/^\s/.test(line)) skipped = 'nothing';
    if (lines.length > 0 && detailLine.test(line)) skipped = 'detail';
    if (lines.length > 0 && /^\s+at\s/.test(line)) skipped = 'stack';
    if (skipped === 'nothing' && (lines.length === 0 || !frame.test(line))) lines.push(line.trim());
  }
  return lines.length > 0 ? lines.join('\n') : text;
}

/** A message without quotes, up to the next pair: `description=stream not found`. */
const bareMessage =
  /(?<![\p{L}\p{N}_])(description|desc|message|msg|reason|detail|error|err)=(?=[^\s"'=]{1,60} )([^"=\n,;()[\]{}]{3,200}?)(?=[,;)\]}\n]|$| [\p{L}_]{1,30}=)/gu;

const pair = /(?<![\p{L}\p{N}_])([\p{L}_][\p{L}\p{N}_.-]{0,40})=("(?:[^"\\]|\\.){0,2000}"|[^\s,;()[\]{}"'`]{1,200})/gu;

/** `key=value`: drops a value unless its key announces a code, a message, or where the fault is. */
function readPairs(text: string): string {
  if (!text.includes('=')) return text;
  return text.replace(bareMessage, '$1="$2"').replace(pair, (all, name: string, value: string, offset: number) => {
    const key = name.toLowerCase().replace(/[^a-z]/g, '');
    const plain = value.replace(/^"|"$/g, '');
    if (/^(?:null|nil|none|undefined|)$/i.test(plain)) return placeholder.value;
    if (isCodeKey(key)) return `code ${plain}`;
    if (/^(?:error|revert)?data$/.test(key) && isErrorData(plain)) return `selector ${plain.slice(0, 10)}`;
    if (fieldKeys.has(key)) return `${name} ${value}`;
    if (isMessageKey(key)) return /\s/.test(plain) && offset > 0 ? `: ${plain}` : all;
    return plain.includes(nameOpening) ? plain : `${name}=${placeholder.value}`;
  });
}

const urlPattern = /[a-z][a-z0-9+.-]{1,12}:\/\/([^\s"'<>`)\]}|…\ue001-\ue018]{1,2000})/gi;
/** A query after a path; searched at each question mark, so that a path without one is read once. */
const queryPattern = /\?(?<=\/[\w.%~/-]{1,300}\?)[^\s"'<>`)\]}]{0,2000}/g;

/** @returns the text with urls as `host/path/…`: no scheme, user, port, query or fragment */
export function shortenUrls(text: string): string {
  const shortened = text.includes('://') ? text.replace(urlPattern, (_all, rest: string) => shortenUrl(rest)) : text;
  return shortened.includes('?') ? shortened.replace(queryPattern, '') : shortened;
}

function shortenUrl(rest: string): string {
  const ended = /[.,:;!]{1,3}$/.exec(rest)?.[0] ?? '';
  const plain = rest.slice(0, rest.length - ended.length).replace(/[?#].*/s, '');
  const [authority = '', ...path] = plain.split('/');
  const host = (authority.split('@').at(-1) ?? '').replace(/:\d+$/, '');
  const labels = host.split('.').map(steady);
  const shownHost = labels.every(isPlaceholder) ? placeholder.host : labels.join('.');
  return [shownHost, ...path.map(steady)].join('/') + ended;
}

function steady(label: string): string {
  if (letterIdPattern.test(label)) return placeholder.id;
  return !/\d|%/.test(label) || termPattern.test(label) || /^v\d{1,3}$/i.test(label) ? label : placeholder.id;
}

/** Frames of V8 and Java; the fields of the error may open after the last one. */
const place =
  '(?:[^\\s()]{1,300}:(?:\\d{1,7}|0x[\\da-f]{1,16})|<anonymous>|native|Native Method|Unknown Source|index \\d{1,6})';
const frameLine = new RegExp(
  `(?<!panicked) (at (?!\\d{1,4}[-:])(?:(?:(?:async|new) )?[^\\s()]{1,200}(?: [^\\s()[\\]]{1,60})?(?: \\[as [^\\]\\n]{1,80}\\])? ?\\(${place}\\)|wasm:\\S{1,300}:0x[\\da-f]{1,16}|(?:async )?[^\\s()]{1,300}:\\d{1,7}:\\d{1,7}))( \\{(?= ))?`,
  'g',
);

/** Escape sequences beside such a frame are data, not lines. */
const flatFrame = /(?<!\\n) at \S{1,200} \([^\s()]{1,300}:\d{1,7}\)/;

/** Places at which a library breaks its lines. An empty line comes before the parts that do not belong to the message. */
const lineBreaks: readonly (readonly [pattern: RegExp, to: string])[] = [
  [frameLine, '\n    $1$2\n'],
  [/\n (?=Caused by)/g, '\n'],
  [/\n\n {4}(?=at )/g, '\n    '],
  [/ (at [\w.]{1,200}\([^()\n]{0,200}\) in [^\s:]{1,300}:line \d{1,7})/g, '\n   $1\n'],
  [/(?<![{,]) \[cause\]: /g, '\ncaused by: '],
  [/ (wasm (?:backtrace|stack trace):) | {1,4}(?=\d{1,4}: 0x[\da-f]{1,16} - )/g, '\n$1\n    '],
  [
    / (?=(?:DETAIL|HINT|CONTEXT): |(?:LINE|LIGNE|ZEILE|LÍNEA|LINHA|RIGA|СТРОКА) \d{1,6} ?: |note: run with |at \[Source: |from [^\s:]{1,200}:\d{1,6}:in )/g,
    '\n\t',
  ],
  [
    / (?=goroutine \d{1,9} \[|Contract Call: address: |(?:Estimate Gas|Request) Arguments: |Unable to decode signature "|Params: \(|\[signal SIG|Current Chain ID: |(?:Expected|Given) length \(|(?<=\(\d{1,6}:\d{1,6}\) )\d{1,6} \| |(?<=\. )- [A-Z])/g,
    '\n\n',
  ],
  [/ ((?:Status: \d{3} )?URL: [^\s"]{1,2000}) Request body: /g, '\n\n$1\nRequest body: '],
  [/\n(Status: \d{3}) URL: /g, '\n$1\nURL: '],
  [/ Version: viem@/g, '\nVersion: viem@'],
  [/ (?=Details: [^\n]{1,4000}\nVersion: viem@)/g, '\n\n'],
];

/** @returns the text with a line break where a library writes one; a text that has lines is returned as it is; linear */
export function withLineBreaks(text: string): string {
  const isEscaped = text.includes('\\n') && !flatFrame.test(text);
  const unescaped = isEscaped ? text.replace(/(?<!\\)(?:\\r)?\\n/g, '\n') : text;
  if (unescaped.includes('\n')) return unescaped;
  return withPythonFault(lineBreaks.reduce((left, [pattern, to]) => left.replace(pattern, to), unescaped));
}

const pythonHeader = 'Traceback (most recent call last): ';
const pythonFault = / (?=(?:[a-z_]\w{0,40}\.){0,6}[A-Z]\w{2,60}: )/;

/** The fault follows the code of the last frame. */
function withPythonFault(text: string): string {
  const start = text.indexOf(pythonHeader);
  const lastFrame = text.lastIndexOf(' File "');
  if (start < 0 || lastFrame < start) return text;
  const frames = text.slice(start + pythonHeader.length, lastFrame).replace(/ (?=File ")/g, '\n  ');
  const end = text.slice(lastFrame + 1).replace(pythonFault, '\n');
  return `${text.slice(0, start)}${pythonHeader}\n  ${frames}\n  ${end}`;
}
