/** Finds everything that a person can press or submit in what the app shows, and does each kind once, as a new person. */
import { isRecord } from '../../../src/shared/json.ts';
import { createMember, type Element, elementsIn, type Inputs, type Member } from './contract/member.ts';
import type { Delivery } from './delivery.ts';
import type { DocumentedSlack } from './server.ts';
import { app, type Shown, type SlackView } from './workspace.ts';

/** Something that a person does. */
export type Act = (member: Member) => Promise<void>;

/** Leads to a message or a view: acts of a person, then deeds in what the app showed. */
type Route = { readonly name: string; readonly acts: readonly Act[]; readonly deeds: readonly string[] };

/** Something to do in a message or a view. */
type Deed = {
  readonly name: string;
  readonly run: Act;
  /** True for a link, which the browser opens: the app only acknowledges its press. */
  readonly isLink: boolean;
};

export type ExploreOptions = {
  readonly slack: DocumentedSlack;
  readonly delivery: Delivery;
  /** Texts for the inputs of forms. */
  readonly inputs: Inputs;
  /** @returns the kind of a press, without its names, ids and pages */
  readonly kindOf: (element: Element['element']) => string;
  /** True for what the app replaces by itself. */
  readonly isPassing: (shown: Shown) => boolean;
};

/** Whether to do this deed after those that are done. */
export type IsWanted = (deed: string, done: readonly string[]) => boolean;

export type Explorer = ReturnType<typeof createExplorer>;

export function createExplorer({ slack, delivery, inputs, kindOf, isPassing }: ExploreOptions) {
  const { workspace } = slack;
  const done = new Map<string, string>();
  const waiting = new Map<string, Route>();
  const visits = new Map<string, { readonly member: Member; readonly route: Route }>();
  let scanned = 0;

  const deedsIn = (shown: Shown): readonly Deed[] => {
    const surface = surfaceOf(shown);
    const presses = elementsIn(shown)
      .filter(({ isInput }) => !isInput)
      .map((at) => ({
        name: `${surface}: ${kindOf(at.element)}`,
        run: (member: Member) => member.press(shown, at),
        isLink: at.element['url'] !== undefined,
      }));
    return 'view' in shown && isRecord(shown.view.view['submit']) ? [...presses, submission(shown.view)] : presses;
  };

  const submission = (view: SlackView): Deed => {
    const inputsOf = elementsIn({ view }).filter(({ isInput }) => isInput);
    const name = ['submit', view.view['callback_id'], ...inputsOf.map(({ blockId }) => blockId)].join(' ');
    return { name, run: (member) => member.submit(view, inputs), isLink: false };
  };

  /** @returns what the person sees of the app, newest first */
  const shownTo = ({ id }: Member, since = 0): readonly Shown[] =>
    workspace.shown
      .slice(since)
      .filter((one) => viewerOf(one) === id && isSeen(one))
      .toReversed();

  const isSeen = (one: Shown) =>
    !isPassing(one) && ('view' in one ? one.view.isOpen : one.message.author === app.userId && !one.message.isDeleted);

  /** Waits until the person sees something new, or no longer sees a view. */
  const see = async (what: () => string, member: Member, act: Act): Promise<void> => {
    const before = workspace.shown.length;
    const open = workspace.views.filter(({ user, isOpen }) => user === member.id && isOpen);
    await act(member);
    await workspace.until(
      () => `an answer to ${what()}`,
      () => {
        const hasSeen = shownTo(member, before).length > 0 || open.some(({ isOpen }) => !isOpen);
        return hasSeen || undefined;
      },
    );
  };

  const follow = async (route: Route, triesLeft = 5): Promise<Member> => {
    const number = visits.size + 1;
    const member = createMember(slack, delivery, `U0P${number}`, `C0P${number}`);
    visits.set(member.id, { member, route });
    const since = workspace.shown.length;
    for (const act of route.acts) await see(() => route.name, member, act);
    for (const name of route.deeds) {
      const find = () => {
        const seen = shownTo(member, since);
        return (
          seen.flatMap(deedsIn).find((deed) => deed.name === name) ?? (seen.some(isRetryable) ? 'again' : undefined)
        );
      };
      const what = () => `${name} after ${route.name}, but: ${shownTo(member, since).map(wordsOf).join(' / ')}`;
      const deed = await workspace.until(what, find);
      // A busy machine answered the app's own question too late.
      if (deed === 'again' && triesLeft > 0) return follow(route, triesLeft - 1);
      if (deed === 'again') throw new Error(`Each time Slack answered too late: ${what()}`);
      if (deed.isLink) await deed.run(member);
      else await see(() => `${name} after ${route.name}`, member, deed.run);
    }
    return member;
  };

  /** Looks at what was shown since the last time, as it is now. @returns the shortest route to a deed that is not done */
  const next = (isWanted: IsWanted): Route | undefined => {
    const viewers = new Set(workspace.shown.slice(scanned).map(viewerOf));
    scanned = workspace.shown.length;
    for (const viewer of viewers) {
      const visit = visits.get(viewer);
      for (const { name } of visit ? shownTo(visit.member).flatMap(deedsIn) : []) {
        const route = visit && { ...visit.route, deeds: [...visit.route.deeds, name] };
        if (route && lengthOf(route) < lengthOf(waiting.get(name))) waiting.set(name, route);
      }
    }
    const left = [...waiting]
      .filter(([name]) => !done.has(name) && isWanted(name, [...done.keys()]))
      .map(([, route]) => route);
    return left.toSorted((one, other) => lengthOf(one) - lengthOf(other))[0];
  };

  return {
    /** Each deed that was done, with its first act. */
    done,
    /** Acts as a new person. */
    start: (name: string, ...acts: readonly Act[]): Promise<Member> => follow({ name, acts, deeds: [] }),
    /** Does this deed where the person sees it. */
    deed:
      (name: string): Act =>
      async (member) => {
        const find = () =>
          shownTo(member)
            .flatMap(deedsIn)
            .find((deed) => deed.name === name);
        await (await workspace.until(() => name, find)).run(member);
      },
    /** Submits the form that the person sees. @param typed texts for its inputs instead of the usual ones */
    submitForm: async (member: Member, typed: Inputs = inputs): Promise<void> => {
      const find = () =>
        shownTo(member).flatMap((one) => ('view' in one && isRecord(one.view.view['submit']) ? [one.view] : []))[0];
      const form = await workspace.until(() => 'a form', find);
      if (typed === inputs) done.set(submission(form).name, 'a form');
      await member.submit(form, typed);
    },
    /** Does each deed once, until there is nothing new to do. */
    finish: async (isWanted: IsWanted): Promise<void> => {
      for (let route = next(isWanted); route; route = next(isWanted)) {
        done.set(route.deeds.at(-1) ?? '', route.name);
        await follow(route);
      }
    },
    /** A deed that appeared too late to be done. */
    left: (isWanted: IsWanted) => next(isWanted)?.deeds.at(-1),
  };
}

function lengthOf(route: Route | undefined): number {
  return route ? route.acts.length + route.deeds.length : Number.POSITIVE_INFINITY;
}

/** @returns the person who sees it; each person is alone in a channel */
function viewerOf(shown: Shown): string {
  if ('view' in shown) return shown.view.user;
  const { viewer, channel } = shown.message;
  return viewer ?? `U${channel.slice(1)}`;
}

/** A press in a message that several people see has another payload, and so has one in the Home. */
function surfaceOf(shown: Shown): string {
  if ('view' in shown) return String(shown.view.view['type']);
  return shown.message.viewer === undefined ? 'posted' : 'ephemeral';
}

function isRetryable(shown: Shown): boolean {
  return /Slack did not .*Try again in a minute/s.test(wordsOf(shown));
}

function wordsOf(shown: Shown): string {
  return 'view' in shown ? JSON.stringify(shown.view.view['title']) : shown.message.text;
}
