/** Restores the line breaks of an error that was logged on one line: before sections, stack frames, details and causes. */

type Rule = readonly [hint: string, pattern: RegExp, to: string];

/** Frames of V8 and Java; the fields of the error may open after the last one. */
const place =
  '(?:[^\\s()]{1,300}:(?:\\d{1,7}|0x[\\da-f]{1,16})|<anonymous>|native|Native Method|Unknown Source|index \\d{1,6})';
const frame = new RegExp(
  ` (at (?!\\d{1,4}[-:])(?:(?:(?:async|new) )?[^\\s()]{1,200}(?: [^\\s()[\\]]{1,60})?(?: \\[as [^\\]\\n]{1,80}\\])? ?\\(${place}\\)|wasm:\\S{1,300}:0x[\\da-f]{1,16}|(?:async )?[^\\s()]{1,300}:\\d{1,7}:\\d{1,7}))( \\{(?= ))?`,
  'g',
);

/** Escape sequences beside such a frame are data, not lines. */
const flatFrame = /(?<!\\n) at \S{1,200} \([^\s()]{1,300}:\d{1,7}\)/;

/** Places at which a library breaks its lines. An empty line comes before the parts that do not belong to the message. */
const rules: readonly Rule[] = [
  [' at ', frame, '\n    $1$2\n'],
  ['\n\n    at ', /\n\n {4}(?=at )/g, '\n    '],
  [' in ', / (at [\w.]{1,200}\([^()\n]{0,200}\) in [^\s:]{1,300}:line \d{1,7})/g, '\n   $1\n'],
  [' more', / (\.{3} \d{1,5} (?:more|common frames omitted))/g, '\n    $1\n'],
  ['lines matching', / (\.{3} \d{1,5} lines matching cause stack trace \.{3})/g, '\n    $1\n'],
  ['[cause]: ', /(?<![{,]) \[cause\]: /g, '\ncaused by: '],
  ['goroutine ', / (goroutine \d{1,9} \[)/g, '\n\n$1'],
  ['[signal ', / (\[signal SIG[A-Z]{2,6}: [^\]\n]{1,200}\])/g, '\n$1\n'],
  ['note: run with', / (note: run with )/g, '\n$1'],
  [':in ', / (from [^\s:]{1,200}:\d{1,6}:in )/g, '\n\t$1'],
  ['trace: ', / (wasm (?:backtrace|stack trace):) /g, '\n$1\n    '],
  [': 0x', / {1,4}(\d{1,4}: 0x[\da-f]{1,16} - )/g, '\n    $1'],
  ['DETAIL: ', / (DETAIL: )/g, '\n$1'],
  ["detail: '", / (detail: ')/g, '\n  $1'],
  ['HINT: ', / (HINT: )/g, '\n$1'],
  ['CONTEXT: ', / (CONTEXT: )/g, '\n$1'],
  [': ', / ((?:LINE|LIGNE|ZEILE|LÍNEA) \d{1,6} ?: )/g, '\n$1'],
  ['status code: ', / (status code: \d{3}, request id: )/g, '\n\t$1'],
  [' invocation', /(\bInvalid `[^`\n]{1,100}` invocation(?: in)?:?) /g, '$1\n'],
  ['Caused by: ', / (Caused by: )/g, '\n\n$1\n'],
  ['----------', / ?-{20,100} ?/g, '\n----\n'],
  ['ERROR CODE: ', / (ERROR CODE: )/g, '\n$1'],
  ['RESPONSE ', / (RESPONSE \d{3}[: ])/g, '\n$1'],
  [' information visit ', / (For (?:further|more) information visit )/g, '\n$1'],
  [' Code: ', / (URL: [A-Z]{3,7} \S{1,1000}) (Code: \d{3}\. Errors:) /g, '\n\n$1\n$2\n\n'],
  ['Contract Call: ', / (Contract Call: )(?=address: )/g, '\n\n$1\n'],
  [' Call Arguments: ', / (Raw Call Arguments: )/g, '\n\n$1\n'],
  ['Request Arguments: ', / (Request Arguments: )/g, '\n\n$1\n'],
  ['Gas Arguments: ', / (Estimate Gas Arguments: )/g, '\n\n$1\n'],
  ['This could ', / (This could (?:be due to any of the following|arise when): )/g, '\n\n$1\n'],
  ['Unable to decode', / (Unable to decode signature ")/g, '\n\n$1'],
  ['reverted with ', /(\breverted with the following (?:reason|signature):) /g, '$1\n'],
  [' reverted. Error: ', / (reverted\.) (?=Error: \w{1,80}\()/g, ' $1\n\n'],
  ['Params: (', / (Params: \()/g, '\n\n$1'],
  ['Current Chain ID: ', / (Current Chain ID: )/g, '\n\n$1'],
  ['length (', / ((?:Expected|Given) length \()/g, '\n$1'],
  ['Request body: ', / ((?:Status: \d{3} )?URL: [^\s"]{1,2000}) Request body: /g, '\n\n$1\nRequest body: '],
  ['Status: ', /\n(Status: \d{3}) URL: /g, '\n$1\nURL: '],
  [' - ', / (- Address must )/g, '\n\n$1'],
  ['Catch the `Send', / (Catch the `SendTransactionError`)/g, '\n$1'],
  ['YAMLException', / (\d{1,6} \| )/, '\n\n$1'],
  ['native stack', / ?-{2,20} ?(Native stack trace) ?-{2,20} ?/g, '\n\n$1\n'],
  ['Docs: http', / (Docs: http)/g, '\n\n$1'],
  ['Version: viem@', / (Version: viem@)/g, '\n$1'],
  ['\nVersion: viem@', / (Details: )/g, '\n\n$1'],
];

/** @returns the text with a line break where a library writes one; a text that has lines is returned as it is; linear */
export function withLineBreaks(text: string): string {
  const isEscaped = text.includes('\\n') && !flatFrame.test(text);
  const unescaped = isEscaped ? text.replace(/(?<!\\)(?:\\r)?\\n/g, '\n') : text;
  if (unescaped.includes('\n')) return unescaped;
  return withPythonFault(
    rules.reduce((left, [hint, pattern, to]) => (left.includes(hint) ? left.replace(pattern, to) : left), unescaped),
  );
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
