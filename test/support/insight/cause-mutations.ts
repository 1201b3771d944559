/** Changes to an error that keep its cause, and changes that make it another one. */

/** Deterministic digits, so that each text is changed in the same way in every run. */
function createDigits(text: string, alphabet: string): (length: number) => string {
  let state = 2166136261;
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 16777619) >>> 0;
  return (length) =>
    Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return alphabet[(state >>> 16) % alphabet.length] ?? '0';
    }).join('');
}

const bigNumber = /(?<![\w.:,'"#-]|SQLSTATE |\bcode=?[: ]|[Ee]rror )\d{5,}(?![\w.:,'"-])/g;
const quotedName = /(?<=\p{L} )"([A-Za-z]\w{2,30})"(?!:)/gu;

export const keepingMutations: Readonly<Record<string, (error: string) => string>> = {
  'other addresses, hashes and UUIDs': (error) => {
    const hex = createDigits(error, '0123456789abcdef');
    return error
      .replace(/0x[0-9a-fA-F]{64}(?![0-9a-fA-F])/g, () => `0x${hex(64)}`)
      .replace(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g, () => `0x${hex(40)}`)
      .replace(
        /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
        () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
      );
  },
  'other large numbers': (error) => {
    const digits = createDigits(error, '123456789');
    return error.replace(bigNumber, (number) => digits(number.length));
  },
  'numbers of another locale': (error) =>
    error.includes('{')
      ? error
      : error.replace(bigNumber, (number) => Number(number.slice(0, 15)).toLocaleString('en-US')),
  'single quotes around names': (error) => (error.includes('{') ? error : error.replace(quotedName, "'$1'")),
  'curly quotes around names': (error) => (error.includes('{') ? error : error.replace(quotedName, '“$1”')),
  'backticks around names': (error) => (error.includes('{') ? error : error.replace(quotedName, '`$1`')),
  'wrapping of the workflow': (error) => `workflow execution failed: ${error}`,
  'wrapping of retries': (error) => `after 3 attempts: last error: ${error}`,
  'the name of a node': (error) => `node 7: ${error}`,
  'a counter of attempts': (error) => (/[\n{<]/.test(error) ? error : `${error} (attempt 2 of 3)`),
  'an id of the request': (error) => (/[\n{<]/.test(error) ? error : `${error}, request_id=req_88`),
  'carriage returns': (error) => error.replaceAll('\n', '\r\n'),
  'its lines joined by spaces': (error) => error.replace(/\s*\n\s*/g, ' ').trim(),
  'its line breaks as escape sequences': (error) => error.replaceAll('\n', '\\n'),
  'a log line of pino': (error) => JSON.stringify({ level: 'error', step: 'publish', err: error }),
  'a log line of zap': (error) =>
    JSON.stringify({ ts: '2026-03-04T10:11:12Z', level: 'error', msg: 'step failed', error }),
  'the name of a step': (error) => `step read-block: ${error}`,
  'a step after its name': (error) => `price step: ${error}`,
  'the id of a run': (error) => `run 5a0c6ef4-e40d-4d79-a0db-7eed3e3cbcc5: ${error}`,
  'a number of attempts': (error) => `after 3 attempts: ${error}`,
  'a number of a step': (error) => `failed to run step 1: ${error}`,
  'a stack of calls': (error) =>
    /[\n{<]/.test(error)
      ? error
      : `${error}\n    at run (file:///app/main.js:1:2)\n    at async main (file:///app/main.js:9:4)`,
};

/** Null if the error has nothing of that kind. */
export const changingMutations: Readonly<Record<string, (error: string) => string | null>> = {
  'another quoted name': (error) => {
    const [, name] =
      /(?:column|table|relation|secret|constraint|method|function|field) "([a-z]\w{2,30})"(?! reverted with the following reason)/i.exec(
        error,
      ) ?? [];
    const isRepeated = error.includes('\\"');
    return name === undefined || isRepeated ? null : error.replaceAll(`"${name}"`, '"quite_another"');
  },
  'another selector': (error) => {
    const [selector] = /(?<!transaction=\{ "data": ")0x[0-9a-f]{8}(?![0-9a-f])/i.exec(error) ?? [];
    return selector === undefined || !/revert/i.test(error) ? null : error.replaceAll(selector, '0xfeedbeef');
  },
  'another HTTP status': (error) => {
    const [, status] = /(?:status code|failed|status) \(?([45]\d\d)\b/i.exec(error) ?? [];
    return status === undefined ? null : error.replaceAll(status, status === '418' ? '421' : '418');
  },
  'another JSON field': (error) => {
    const [all, key] = /"(path|field|param)": ?"[\w.$[\]]{2,60}"/.exec(error) ?? [];
    return all === undefined ? null : error.replace(all, `"${key}":"quiteAnother"`);
  },
};
