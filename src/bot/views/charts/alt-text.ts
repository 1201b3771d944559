/** Alternative text of a timeline, within Slack's limit for an uploaded file. Items that do not fit are counted. */

import { limits } from '../../../shared/block-kit/limits.ts';
import { counted } from '../format/number.ts';
import { outsideLine } from '../format/outside-text.ts';
import { preciseDuration } from '../format/time.ts';
import {
  byWeight,
  type ChartedCall,
  failingNote,
  outcomeOf,
  shownCalls,
  summaryOf,
  type TimelinePicture,
} from './timeline-facts.ts';

const nameUnitsMax = 80;

/** @returns the content of timelineSvg as plain text, not mrkdwn */
export function timelineAlt({ title, timeline }: TimelinePicture): string {
  const [lengths, states] = summaryOf(timeline);
  const failing = timeline.failing ? ` ${sentence(failingNote(timeline.failing))}` : '';
  const head = `Timeline of ${outsideLine(title, nameUnitsMax)}: ${lengths}. ${sentence(states)}${failing}`;
  const items = byWeight(shownCalls(timeline)).map((call) => ({
    order: call.number,
    words: callWords(call, timeline.totalMs),
  }));
  return listed(head, items, timeline.calls.length);
}

function callWords(call: ChartedCall, totalMs: number): string {
  const method = call.method === null ? '' : ` ${outsideLine(call.method, nameUnitsMax)}`;
  const outcome = outcomeOf(call, totalMs).replace(' · ', ' ');
  const from = call.timeFault?.time === 'start' ? '' : ` from ${preciseDuration(call.startMs)}`;
  return `${call.number}. ${outsideLine(call.capability, nameUnitsMax)}${method}${from}: ${outcome}`;
}

type Item = { readonly order: number; readonly words: string };

/**
 * Appends as many items as fit, in their order, and the count of the rest.
 * @param items most important first @param total number of all items, drawn or not
 */
function listed(head: string, items: readonly Item[], total: number): string {
  const rest = (fit: number) => (fit === total ? '' : ` ${counted(total - fit, 'more step')} left out.`);
  let room = limits.file.altUnitsMax - head.length - rest(0).length;
  const fit = items.filter(({ words }) => {
    room -= words.length + 2;
    return room >= 0;
  });
  const listedItems = fit.toSorted((a, b) => a.order - b.order).map(({ words }) => ` ${words}.`);
  return `${head}${listedItems.join('')}${rest(fit.length)}`;
}

function sentence(words: string): string {
  const capital = words.charAt(0).toUpperCase() + words.slice(1);
  return capital.endsWith('.') ? capital : `${capital}.`;
}
