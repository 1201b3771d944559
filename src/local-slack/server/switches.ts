/** Limits of Slack that a person of the page turns on and off: slow histories, and no charts. */
import type { Clock } from '../../shared/time/clock.ts';
import type { PageSwitches } from '../page/protocol.ts';
import { chartRefusals, type Fault, type FaultRule, type Faults, oncePerInterval } from './faults.ts';

export type Switches = {
  readonly states: () => PageSwitches;
  readonly set: (name: keyof PageSwitches, isOn: boolean) => void;
  /** Undefined while histories are not limited. */
  readonly historyLimit: () => HistoryLimit | undefined;
};

type SwitchesDeps = {
  readonly clock: Clock;
  readonly faults: Pick<Faults, 'rule'>;
  readonly onChange: () => void;
  /** One call in this time; Slack's minute if left out. */
  readonly historyEveryMs: number | undefined;
  readonly initial: PageSwitches;
};

const slacksMinuteMs = 60_000;

export function createSwitches({ clock, faults, onChange, historyEveryMs, initial }: SwitchesDeps): Switches {
  let states: PageSwitches = { hasHistoryLimit: false, refusesCharts: false };
  let historyLimit: HistoryLimit | undefined;
  const set = (name: keyof PageSwitches, isOn: boolean) => {
    if (states[name] === isOn) return;
    states = { ...states, [name]: isOn };
    if (name === 'hasHistoryLimit') {
      historyLimit = isOn ? createHistoryLimit(historyEveryMs ?? slacksMinuteMs, clock) : undefined;
    } else {
      for (const [target, rule] of Object.entries(chartRefusals)) faults.rule(target, isOn ? rule : null);
    }
    onChange();
  };
  set('hasHistoryLimit', initial.hasHistoryLimit);
  set('refusesCharts', initial.refusesCharts);
  return { states: () => states, set, historyLimit: () => historyLimit };
}

type HistoryLimit = {
  readonly pageMax: number;
  /** @returns the refusal of a call that comes too early */
  readonly take: (method: string, teamId: string) => Fault | undefined;
};

/** @param everyMs Slack's minute; tests shorten it */
function createHistoryLimit(everyMs: number, clock: Clock): HistoryLimit {
  const rules = new Map<string, FaultRule>();
  return {
    pageMax: 15,
    take: (method, teamId) => {
      if (method !== 'conversations.history' && method !== 'conversations.replies') return undefined;
      const key = `${method} ${teamId}`;
      const rule = rules.get(key) ?? oncePerInterval(everyMs, clock);
      rules.set(key, rule);
      return rule({});
    },
  };
}
