/** The parts of a digest beside its failures: silence, what is gone, deployments, and counts that do not match. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { GoneCause } from '../../insight/digest/causes.ts';
import type { SilentWorkflow } from '../../insight/digest/silent.ts';
import { bold, date, emoji, paragraph, plain, rich, several, trusted } from '../blocks/rich-text.ts';
import { duration } from '../format/date.ts';
import { count, counted } from '../format/number.ts';
import { deploymentActionLabel } from '../format/status-labels.ts';
import { zonedTime } from '../format/zoned.ts';
import { type DigestDeployment, type DigestFacts, fellSilent } from './facts.ts';
import { nameUnitsMax } from './failing.ts';

const silentMax = 2;
const goneMax = 1;
const titleUnitsMax = 80;
const deploymentsMax = 2;
const namesMax = 2;
const mismatchesMax = 2;

type Words = readonly RichTextElement[];

/** Those that fell silent before this window were told before. */
export function silentBlocks(facts: DigestFacts): readonly KnownBlock[] {
  const { silent } = facts;
  if (silent.length === 0) return [];
  const fresh = fellSilent(facts);
  const listed = (fresh.length > 0 ? fresh : silent).slice(0, silentMax);
  const left = fresh.length - Math.min(fresh.length, silentMax);
  const older = fresh.length > 0 ? silent.length - fresh.length : silent.length - listed.length;
  const rest = [
    ...(left > 0 ? [`${count(left)} more`] : []),
    ...(older > 0 ? [fresh.length > 0 ? `${count(older)} since before this window` : `${count(older)} more`] : []),
  ];
  const and = rest.length === 0 ? [] : rich`; and ${trusted(rest.join(', '))}`;
  return [paragraph(rich`${emoji('warning')} ${bold('Silent')}: ${joined(listed.map(silentWords), '; ')}${and}.`)];
}

function silentWords({ name, forMs, usuallyEveryMs }: SilentWorkflow): Words {
  return rich`${bold(name, nameUnitsMax)}, no run for ${trusted(`${duration(forMs)} (one came every ${duration(usuallyEveryMs)})`)}`;
}

export function goneBlocks({ gone }: DigestFacts): readonly KnownBlock[] {
  const { resolved, unproven } = gone ?? { resolved: [], unproven: [] };
  const lines = [
    ...(resolved.length === 0 ? [] : [rich`${emoji('white_check_mark')} ${bold('Resolved')}: ${goneWords(resolved)}.`]),
    ...(unproven.length === 0
      ? []
      : [rich`${trusted(counted(unproven.length, 'cause'))} not seen again, but no success since is known.`]),
  ];
  return lines.length === 0 ? [] : [paragraph(joined(lines, '\n'))];
}

function goneWords(causes: readonly GoneCause[]): Words {
  const listed = causes.slice(0, goneMax).map(({ title, workflows }) => {
    const where = several(
      workflows.map((name) => plain(name, nameUnitsMax)),
      namesMax,
    );
    return rich`“${plain(title, titleUnitsMax)}” (${where})`;
  });
  const left = causes.length - listed.length;
  return rich`${joined(listed, '; ')}${trusted(left > 0 ? ` and ${counted(left, 'more cause')}` : '')}`;
}

export function deploymentBlocks({ deployments }: DigestFacts): readonly KnownBlock[] {
  if (deployments.length === 0) return [];
  const left = deployments.length - deploymentsMax;
  const and = trusted(left > 0 ? `; and ${count(left)} more` : '');
  const listed = deployments.slice(0, deploymentsMax).map(deploymentWords);
  return [paragraph(rich`${bold('Deployments')} of these workflows: ${joined(listed, '; ')}${and}.`)];
}

function deploymentWords({ workflowName, status, deployedAt, failedAfterMs }: DigestDeployment): Words {
  const after = failedAfterMs === null ? [] : rich`, ${bold(`first failure ${duration(failedAfterMs)} later`)}`;
  return rich`${plain(workflowName, nameUnitsMax)} ${date(deployedAt)} (${plain(deploymentActionLabel(status), 40)})${after}`;
}

/** The service counts by UTC days. */
export function mismatchBlocks({ reconciliation }: DigestFacts): readonly KnownBlock[] {
  const { mismatches } = reconciliation;
  if (mismatches.length === 0) return [];
  const listed = mismatches
    .slice(0, mismatchesMax)
    .map(({ day, read, told }) => `${zonedTime(day, 'UTC').slice(0, -6)}: ${count(read)} read, ${count(told)} counted`);
  const left = mismatches.length - listed.length;
  const rest = left > 0 ? `; and ${counted(left, 'more day')}` : '';
  return [
    paragraph(
      rich`${emoji('warning')} The failures I read do not match the service’s own count (UTC days). ${trusted(listed.join('; ') + rest)}.`,
    ),
  ];
}

function joined(parts: readonly Words[], separator: string): Words {
  return parts.flatMap((part, index) => (index === 0 ? part : [trusted(separator), ...part]));
}
