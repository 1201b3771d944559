/** Deterministic timelines to draw, and the contents of picture files. */
import { type Timeline, timelineOf } from '../../../src/bot/insight/executions/timeline.ts';
import { finished } from '../runner/finished.ts';

const begin = Date.UTC(2026, 10, 20, 3);
const capabilities = ['http-actions@1.0.0', 'consensus@1.0.0', 'evm:ChainSelector:16015286601757825753@1.0.0'];

export type TimelineShape = {
  readonly calls: number;
  /** Numbers, from 1. */
  readonly failed?: readonly number[];
  readonly isRunning?: boolean;
  /** Replaces every capability and method. */
  readonly name?: string;
  /** The error of a failed execution; that of its failed steps if left out. */
  readonly error?: string | null;
};

const refused = 'connection refused';

/** Each step takes 100 ms times its number up to 9; a gap of a second follows every fourth; the last step of a running execution runs. */
export function drawnTimeline({
  calls,
  failed = [],
  isRunning = false,
  name,
  error = refused,
}: TimelineShape): Timeline {
  const at = (ms: number) => new Date(begin + ms).toISOString();
  let ms = 0;
  const events = Array.from({ length: calls }, (_, index) => {
    const startMs = ms;
    const endMs = startMs + 100 * (1 + (index % 9));
    ms = endMs + (index % 4 === 3 ? 1000 : 0);
    const isOpen = isRunning && index === calls - 1;
    const isFailed = failed.includes(index + 1);
    return {
      capabilityID: name ?? capabilities[index % capabilities.length] ?? '',
      method: name ?? 'SendRequest',
      status: isFailed ? 'FAILED' : isOpen ? 'STARTED' : 'COMPLETED',
      startedAt: at(startMs),
      finishedAt: isOpen ? null : at(endMs),
      errors: isFailed ? [{ error: refused, count: 3 }] : [],
    };
  });
  const status = isRunning ? 'IN_PROGRESS' : failed.length > 0 ? 'FAILURE' : 'SUCCESS';
  const finishedAt = isRunning ? null : at(ms + 200);
  const errors = failed.length > 0 && error !== null ? [{ error, count: 3 }] : null;
  const execution = { status, startedAt: at(0), finishedAt, errors };
  return finished(timelineOf({ execution, events, now: begin + ms + 500 }));
}

/** The texts of a picture, as a reader sees them. */
export function textsOf(svg: string): readonly string[] {
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, literal = '']) =>
    literal.replace(/&([^;]+);/g, (_, name: string) => entities[name] ?? ''),
  );
}

/** Its elements in order, without attributes and text. */
export function skeletonOf(svg: string): string {
  return (svg.match(/<\/?[^\s/>]+/g) ?? []).join(' ');
}

/** @throws if the bytes are no PNG */
export function sizeOf(png: Uint8Array): { readonly width: number; readonly height: number } {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  if (view.getBigUint64(0) !== 0x89504e470d0a1a0an) throw new Error('This is no PNG.');
  return { width: view.getUint32(16), height: view.getUint32(20) };
}
