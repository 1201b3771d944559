/** Text about a subscription: its schedule, its workflows, its next due time and its state. */
import type { Due, Schedule } from '../../domain/schedule.ts';
import { pausedByPerson, type Subscription, type SubscriptionPlan } from '../../domain/subscription.ts';
import { zoneOffset } from '../../domain/zones.ts';
import { date, emoji, plain, rich, several, trusted, user, type Words } from '../blocks/rich-text.ts';
import { counted } from '../format/number.ts';
import { zonedFields, zoneName } from '../format/time.ts';
import { refusalText } from '../notices/refusal-text.ts';

/** Without outside text. */
export const whatADigestIs =
  'A digest is a scheduled post: what failed since the last one, why, what is new and what is resolved.';

const weekdayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** @param weekdays ISO, sorted @returns such as `Mon–Fri`, `Mon, Wed, Sun`, `every day` */
export function weekdaysText(weekdays: readonly number[]): string {
  if (weekdays.length === 7) return 'every day';
  const [first = 1, last = 1] = [weekdays[0], weekdays.at(-1)];
  const name = (day: number) => weekdayNames[day - 1] ?? '';
  const isConsecutive = weekdays.length > 2 && last - first === weekdays.length - 1;
  return isConsecutive ? `${name(first)}–${name(last)}` : weekdays.map(name).join(', ');
}

/** @returns such as `Mon–Fri at 09:00 (Europe/Berlin)` */
export function scheduleText({ time, weekdays, zone }: Schedule): string {
  return `${weekdaysText(weekdays)} at ${time} (${zoneName(zone)})`;
}

/** The workflows whose names are known. */
export type KnownWorkflows = readonly { readonly uuid: string; readonly name: string }[];

type About = Pick<SubscriptionPlan, 'workflows'>;

const textUnitsMax = 60;
const nameUnitsMax = 40;
const namesMax = 3;

/** @returns such as `all workflows`, `workflows with “pay” in their name`, `fx-rates, payments and 2 more`, `4 chosen workflows` */
export function workflowsText({ workflows }: About, known: KnownWorkflows, max = namesMax): Words {
  switch (workflows.kind) {
    case 'all':
      return rich`all workflows`;
    case 'text':
      return rich`workflows with “${plain(workflows.text, textUnitsMax)}” in their name`;
    case 'chosen':
      return chosenWords(workflows.uuids, known, max);
  }
}

function chosenWords(uuids: readonly string[], known: KnownWorkflows, max: number): Words {
  const named = uuids.flatMap((uuid) => known.find((workflow) => workflow.uuid === uuid)?.name ?? []);
  if (named.length === 0) return [trusted(counted(uuids.length, 'chosen workflow'))];
  const shown = named.slice(0, max).map((name) => plain(name, nameUnitsMax));
  const left = uuids.length - shown.length;
  return rich`${several(shown, max)}${trusted(left > 0 ? ` and ${left} more` : '')}`;
}

/** Follows a digest's channel, to distinguish two digests of one channel. @returns such as ` (fx-rates)`; empty for all workflows */
export function aboutText(plan: About, known: KnownWorkflows, max?: number): Words {
  return plan.workflows.kind === 'all' ? [] : rich` (${workflowsText(plan, known, max)})`;
}

/** @returns a moment in the digest's time zone, such as `Mon 23 Nov 2026, 09:00 UTC+01:00` */
function localText(at: number, zone: string): string {
  const { weekday, day, month, year, clock } = zonedFields(at, zone);
  return `${weekday} ${day} ${month} ${year}, ${clock} ${zoneOffset(zone, at)}`;
}

/**
 * @param before now, or the posting before
 * @returns the moment, with a note if the clocks change
 */
export function dueText({ at, shift }: Due, { zone, time }: Schedule, before: number): Words {
  const fields = trusted(localText(at, zone));
  switch (shift) {
    case 'skipped':
      return rich`${fields} (the clocks go forward: there is no ${trusted(time)} on that day)`;
    case 'repeated':
      return rich`${fields} (the clocks go back: ${trusted(time)} comes twice, and the first one counts)`;
    case 'none': {
      const [old, now] = [zoneOffset(zone, before), zoneOffset(zone, at)];
      return old === now
        ? [fields]
        : rich`${fields} (the clocks change before this post; until then the offset is ${trusted(old)})`;
    }
  }
}

/** Emoji before the words of a digest that is not posted. */
export function stateMark({ pause }: Subscription): Words {
  if (pause === null) return [];
  return rich`${emoji(pause.reason === pausedByPerson ? 'double_vertical_bar' : 'warning')} `;
}

const reasonUnitsMax = 160;

/** States when it is posted next, or why it is not and how to resume it. */
export function stateText({ pause, nextDue }: Subscription): Words {
  if (pause === null) return nextDue ? rich`next ${date(nextDue.at)}` : [];
  if (pause.reason === pausedByPerson) {
    const by = pause.by === null ? [] : rich`, by ${user(pause.by)}`;
    return rich`paused since ${date(pause.at)}${by}`;
  }
  const { reason, step } = refusalText(pause.reason);
  return rich`not posted since ${date(pause.at)}: ${plain(reason, reasonUnitsMax)}. ${trusted(step)} The bot tries again whenever the digest is due${nextDue ? rich`, next ${date(nextDue.at)}` : []}.`;
}
