/** Limits of Slack that a person of the page turns on and off: slow histories, and no charts. */
import type { Clock } from '../../shared/time/clock.ts';
import type { PageSwitches } from '../page/protocol.ts';
import { chartRefusals, type Fault, type FaultRule, type Faults, oncePerInterval } from './faults.ts';

type SwitchesDeps = {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly onChange: () => void;
};

/** Histories of one workspace take one call in this time. */
const historyEveryMs = 60_000;
/** Default and maximum of a page of a limited history. */
const historyPageMax = 15;

export class Switches {
  readonly #deps: SwitchesDeps;
  #states: PageSwitches = { hasHistoryLimit: false, refusesCharts: false };
  /** By method and workspace. */
  #historyRules = new Map<string, FaultRule>();

  constructor(deps: SwitchesDeps) {
    this.#deps = deps;
  }

  get states(): PageSwitches {
    return this.#states;
  }

  /** Undefined while histories are not limited. */
  get historyPageMax(): number | undefined {
    return this.#states.hasHistoryLimit ? historyPageMax : undefined;
  }

  set(name: keyof PageSwitches, isOn: boolean): void {
    if (this.#states[name] === isOn) return;
    this.#states = { ...this.#states, [name]: isOn };
    if (name === 'hasHistoryLimit') this.#historyRules = new Map();
    else for (const [target, rule] of Object.entries(chartRefusals)) this.#deps.faults.rule(target, isOn ? rule : null);
    this.#deps.onChange();
  }

  /** @returns the refusal of a history that is read too early */
  takeHistory(method: string, teamId: string): Fault | undefined {
    const isHistory = method === 'conversations.history' || method === 'conversations.replies';
    if (!isHistory || !this.#states.hasHistoryLimit) return undefined;
    const key = `${method} ${teamId}`;
    const rule = this.#historyRules.get(key) ?? oncePerInterval(historyEveryMs, this.#deps.clock);
    this.#historyRules.set(key, rule);
    return rule({});
  }
}
