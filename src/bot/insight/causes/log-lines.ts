/** Reads a log line in JSON, as pino, zap and others write it: the error in it is the error. */

/** A body of a service has a time too: the level or the logger belongs to a log alone. */
const logKey = /"(?:level|severity|lvl|logger|step|ts)"\s?:/;
const errorKeys = ['error', 'err', 'exception', 'cause'] as const;
const messageKeys = ['msg', 'message'] as const;

/** @returns the message and the error of a log line; the text itself if it is none; linear */
export function readLogLine(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || !logKey.test(trimmed.slice(0, 1_000))) return text;
  const fields = parsed(trimmed);
  if (fields === undefined) return textOfCut(trimmed) ?? text;
  const said = [firstText(fields, messageKeys), firstText(fields, errorKeys)].filter((part) => part !== '');
  return said.length > 0 ? said.join(': ') : text;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function firstText(fields: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  return keys.map((key) => fields[key]).find((value) => typeof value === 'string') ?? '';
}

const cutError = /"(?:error|err|exception|msg|message)"\s?:\s?"((?:[^"\\]|\\.){1,16000})/s;

/** The error in a line that was cut, without its escape sequences. */
function textOfCut(text: string): string | undefined {
  return cutError.exec(text)?.[1]?.replace(/\\(["\\/n])/g, (_all, unit: string) => (unit === 'n' ? '\n' : unit));
}
