/** Sends slash commands in one of two patterns: each person after their last answer, or all at a fixed rate. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { quantile } from '../../support/figures.ts';
import type { Load, LoadPattern } from '../protocol.ts';

/** @param isInAcknowledgement false if the acknowledgement was empty */
export type OnAnswered = (isInAcknowledgement: boolean) => void;

export type Sender = {
  /** Builds and signs commands, so that sending them costs less than answering them. */
  readonly prepare: (lines: readonly string[], commands: number) => void;
  /** Sends the next prepared command. */
  readonly send: (onAnswered: OnAnswered) => void;
};

/** The finest timer of Node. */
const tickMs = 1;

type Sent = { readonly afterMs: readonly number[]; readonly late: number; readonly ms: number };

export async function run(sender: Sender, pattern: LoadPattern): Promise<Load> {
  sender.prepare(pattern.lines, pattern.commands);
  const delay = monitorEventLoopDelay({ resolution: tickMs });
  const before = process.cpuUsage();
  delay.enable();
  const { afterMs, late, ms } = await ('atOnce' in pattern ? sendInTurn(sender, pattern) : sendAtRate(sender, pattern));
  delay.disable();
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: (pattern.commands * 1000) / ms,
    p50Ms: quantile(afterMs, 0.5),
    p99Ms: quantile(afterMs, 0.99),
    late,
    // The histogram counts whole intervals.
    generatorDelayMs: Math.max(0, delay.percentile(99) / 1e6 - tickMs),
    generatorCpuMs: (user + system) / 1000 / pattern.commands,
  };
}

/** Each of so many people types again when the answer has arrived. */
function sendInTurn(sender: Sender, { atOnce, commands }: Extract<LoadPattern, { atOnce: number }>): Promise<Sent> {
  const afterMs: number[] = [];
  let [sent, late] = [0, 0];
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const type = () => {
      if (sent === commands) return;
      sent += 1;
      const sentAt = performance.now();
      sender.send((isInAcknowledgement) => {
        const now = performance.now();
        afterMs.push(now - sentAt);
        if (!isInAcknowledgement) late += 1;
        if (afterMs.length === commands) resolve({ afterMs, late, ms: now - startedAt });
        type();
      });
    };
    for (let person = 0; person < atOnce; person += 1) type();
  });
}

/** Sends without waiting for answers. A latency counts from the time when its command was due. */
function sendAtRate(
  sender: Sender,
  { perSecond, commands }: Extract<LoadPattern, { perSecond: number }>,
): Promise<Sent> {
  const afterMs: number[] = [];
  let [sent, late] = [0, 0];
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const sendDue = () => {
      for (; sent < commands; sent += 1) {
        const dueAt = startedAt + (sent * 1000) / perSecond;
        if (dueAt > performance.now()) break;
        sender.send((isInAcknowledgement) => {
          const now = performance.now();
          afterMs.push(now - dueAt);
          if (!isInAcknowledgement) late += 1;
          if (afterMs.length === commands) resolve({ afterMs, late, ms: now - startedAt });
        });
      }
      if (sent < commands) setTimeout(sendDue, tickMs);
    };
    sendDue();
  });
}
