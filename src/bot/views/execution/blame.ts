/** Which deployment failures began with, with the numbers; otherwise why none is blamed. */

import type { RichTextElement } from '@slack/types';
import { percent } from '../../domain/percent.ts';
import { parseTimestamp } from '../../insight/executions/timeline.ts';
import type { Blamed, BlameFinding, DeploymentLike } from '../../insight/health/deployment-blame.ts';
import type { Stretch } from '../../insight/health/onset.ts';
import { date, rich, trusted, type Words } from '../blocks/rich-text.ts';
import { count, counted } from '../format/number.ts';
import { duration } from '../format/time.ts';

export function blameLine(blame: BlameFinding): Words {
  switch (blame.kind) {
    case 'blamed':
      return rich`Failures began ${beganWords(blame)}: ${trusted(rates(blame))}; the chance of this coincidence is ${trusted(chance(blame.byChance))}, if deployments come at random`;
    case 'none_came':
      return rich`No deployment took effect between ${date(blame.from)} and ${date(blame.to)}`;
    case 'thin':
      return rich`There was a deployment (${deployedAt(blame.deployment)}), but it may not be the cause: ${trusted(rates(blame))}; ${reason(blame)}`;
    case 'unread':
      return rich`Not known if a deployment is the cause: ${trusted(unreadWords[blame.what])} could not be read`;
    case 'never_good':
      return rich`No run has succeeded since the first deployment (${date(blame.since)}): ${trusted(`${blame.isAtLeast ? 'at least ' : ''}${counted(blame.failed, 'failure')}`)}`;
  }
}

const unreadWords = {
  deployments: 'the deployments',
  counts: 'the number of runs before and after',
} as const satisfies Record<Extract<BlameFinding, { kind: 'unread' }>['what'], string>;

/** @param format `clock` beside another time of that day @returns such as `15 s after the deployment of 12:39` */
export function beganWords({ beganAfterMs, deployment }: Blamed, format?: 'clock'): Words {
  const when = beganAfterMs === 0 ? 'with' : `${duration(beganAfterMs)} after`;
  return rich`${trusted(when)} the deployment of ${deployedAt(deployment, format)}`;
}

export function deployedAt({ deployedAt: at }: DeploymentLike, format?: 'clock'): RichTextElement {
  return date(parseTimestamp(at) ?? 0, format);
}

function rates({ before, after }: { readonly before: Stretch; readonly after: Stretch }): string {
  const failedBefore = `${count(before.failed)} of the last ${counted(before.total, 'run')} failed before`;
  const earlier = before.total === 0 ? 'no run before' : failedBefore;
  if (after.total === 0) return `${earlier}, no run after`;
  const later = `${count(after.failed)} of ${count(after.total)} (${percent(after.failed, after.total)})`;
  return `${earlier}, ${later}${before.total === 0 ? ' failed' : ''} after`;
}

function chance(byChance: number): string {
  return percent(Math.min(1, byChance), 1);
}

function reason({ reason: why, beganAt, byChance }: Extract<BlameFinding, { kind: 'thin' }>): Words {
  const began = beganAt === null ? [] : rich` (${date(beganAt)})`;
  switch (why) {
    case 'few':
      return rich`too few runs or failures to tell`;
    case 'no_rise':
      return rich`no clear rise after it`;
    case 'earlier':
      return rich`the failures began before it${began}`;
    case 'later':
      return rich`the failures began later${began}`;
    case 'ended':
      return rich`the failures ended although no other deployment came`;
    case 'gradual':
      return rich`the failures grew slowly, not at once`;
    case 'chance':
      return rich`the chance of this coincidence is ${trusted(chance(byChance))}, if deployments come at random`;
  }
}
