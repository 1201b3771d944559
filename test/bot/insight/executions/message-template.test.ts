/** Values in which the lines of nodes may differ without a disagreement, and values in which they may not. */
import { expect, it } from 'vitest';
import { withoutOwnValues } from '../../../../src/bot/insight/executions/message-template.ts';

const areAlike = (say: (node: number) => string) => withoutOwnValues(say(1)) === withoutOwnValues(say(2));

it.each([
  (node: number) => `took ${node}.5 s`,
  (node: number) => `read in ${node} ms`,
  (node: number) => `latency_ms=${node * 3} block 77`,
  (node: number) => `up for ${node}m${node}s`,
  (node: number) => `read at 12:00:0${node}.123`,
  (node: number) => `{"ts":179514471800${node},"msg":"read"}`,
  (node: number) => `heap in use: ${node}0 MB`,
  (node: number) => `request id 0xaf0${node} for block 77`,
  (node: number) => `elapsedTime=${node}`,
  (node: number) => `span_id=9f8e7d6c5b4a000${node}`,
  (node: number) => `connected from 10.0.0.${node}:4100${node}`,
])('a node measures or makes it itself (%#)', (say) => {
  expect(areAlike(say)).toBe(true);
});

it.each([
  (node: number) => `price ${node}.50`,
  (node: number) => `block hash 0x9f8e7d6c5b4a000${node}`,
  (node: number) => `memory limit ${node} MB`,
  (node: number) => `calling 10.0.0.${node}:443`,
  // Their names end like those of values of its own.
  (node: number) => `report ${node}`,
  (node: number) => `flag=${node}`,
  (node: number) => `accounts=${node}`,
])('nodes share it, so another one is a difference (%#)', (say) => {
  expect(areAlike(say)).toBe(false);
});
