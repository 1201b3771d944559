/** Checks what the bot sends to Slack without Slack: against the table of limits, the SDK's types and the documented rules. */
import { limits } from '../../../src/shared/block-kit/limits.ts';
import { postedUnits } from '../../../src/shared/block-kit/posted-units.ts';
import { validateBlocks, validateView } from '../../../src/shared/block-kit/validate.ts';
import { isRecord, type JsonRecord } from '../../../src/shared/json.ts';
import { messageProblems, viewProblems } from '../documented-slack/contract/block-rules.ts';

/** A message or a view, as it is sent. */
export type SlackPayload =
  /** `response`: sent to a response_url, which takes longer messages. */
  | { readonly surface: 'message' | 'response'; readonly text: string; readonly blocks: readonly JsonRecord[] }
  | { readonly surface: 'modal' | 'home'; readonly view: JsonRecord };

/** A file of payloads has one in each line, with a description of what led to it. */
export type CorpusLine = { readonly shown: string; readonly payload: SlackPayload };

/** The committed corpus: one of each kind. */
export const goldenFile = 'test/fixtures/golden.jsonl';

/** @throws SyntaxError if a line is no JSON */
export function parseCorpus(text: string): readonly CorpusLine[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

export function formatCorpus(lines: readonly CorpusLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** @returns a sentence for each problem, with its JSON pointer */
export function contractProblems(payload: SlackPayload): readonly string[] {
  const line = ({ pointer, message }: { readonly pointer: string; readonly message: string }) =>
    `${pointer} ${message}`;
  if ('view' in payload) {
    const { view, surface } = payload;
    const limited = validateView(view, surface).map(({ pointer, reason }) => `${pointer} ${reason}`);
    return [...limited, ...viewProblems(view).map(line)];
  }
  const { surface, text, blocks } = payload;
  const limited = validateBlocks(blocks, 'message').map(({ pointer, reason }) => `${pointer} ${reason}`);
  const units = postedUnits(blocks);
  return [
    ...limited,
    ...messageProblems(blocks).map(line),
    ...(text.trim() === '' ? ['/text is empty'] : []),
    ...(text.length > limits.message.textUnitsMax ? [`/text has ${text.length} characters`] : []),
    ...(surface === 'message' && units > limits.message.postedUnitsMax ? [`/blocks have ${units} characters`] : []),
  ];
}

/** @param body of a call or an answer @returns its message or view; undefined if it has neither */
export function payloadIn(body: unknown): SlackPayload | undefined {
  if (!isRecord(body)) return undefined;
  const view = parsed(body['view']);
  if (isRecord(view)) return { surface: view['type'] === 'home' ? 'home' : 'modal', view };
  const blocks = parsed(body['blocks']);
  if (!Array.isArray(blocks) || blocks.length === 0) return undefined;
  const surface = 'response_type' in body ? 'response' : 'message';
  return { surface, text: String(body['text'] ?? ''), blocks: blocks.filter(isRecord) };
}

/** The SDK sends objects as JSON in the fields of a form. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
