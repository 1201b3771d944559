/** Who may run what, at the moment they run it: as their workspace's admins and Slack itself have it. */

import { createRecent } from '../../../shared/cache/recent.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Actor, Person } from '../../domain/person.ts';
import { effectiveRole, isEnough, type Need, type Role, type Standing } from '../../domain/role.ts';
import type { WorkspaceRules } from '../../domain/workspace-rules.ts';
import type { AnyCommand } from '../framework/command.ts';
import type { Recorder } from './record.ts';
import type { Rules } from './rules.ts';

export type RightsDeps = {
  readonly rules: Pick<Rules, 'of'>;
  /** What Slack says of a person now; `onWait` is called before it has to be asked. Rejects where it does not say. */
  readonly standingOf: (person: Person, onWait: () => void) => Promise<Standing>;
  /** What Slack has said within ten minutes, which is enough for reading; undefined where that is not known. */
  readonly knownStandingOf: (person: Person) => Standing | undefined;
  readonly record: Recorder;
  readonly clock: Clock;
};

/**
 * @param onWait called before somebody else has to be asked
 * @throws AppError `forbidden` with what is needed and who can give it, `unavailable` where that cannot be found out
 */
export type Authorise = (
  command: Pick<AnyCommand, 'name' | 'needs'>,
  actor: Person | Actor,
  onWait: () => void,
) => Promise<void>;

/** Whoever presses a dead button over and over is written down once. */
const refusedAgainMs = 60_000;
const refusedMax = 10_000;

/**
 * Lets a reader in by what Slack has said within ten minutes. For anything else Slack is asked, and a person of whom it
 * does not say who they are may do nothing.
 */
export function createRights(deps: RightsDeps): Authorise {
  const refused = createRecent<true>({ clock: deps.clock, forMs: refusedAgainMs, keysMax: refusedMax });
  return async (command, actor, onWait) => {
    const { needs = 'reader' } = command;
    const rules = await deps.rules.of(actor.teamId);
    if (needs === 'reader' && mayRead(rules, actor) && isKnownReader(deps, rules, actor)) return;
    const error = await reasonAgainst(deps, { rules, actor, needs }, onWait);
    if (!error) return;
    const key = [actor.teamId, actor.userId, command.name, error.code].join(':');
    if (!refused.get(key)) {
      refused.set(key, true);
      await deps.record(actor, 'permission refused', { command: command.name, needs, why: whyOf(error) });
    }
    throw error;
  };
}

function isKnownReader(
  { knownStandingOf }: RightsDeps,
  { granted, settings }: WorkspaceRules,
  actor: Person | Actor,
): boolean {
  const standing = knownStandingOf(actor);
  return (
    standing !== undefined && effectiveRole(standing, granted.get(actor.userId), settings.guestReaders) !== undefined
  );
}

function mayRead({ settings: { readerChannels } }: WorkspaceRules, actor: Person | Actor): boolean {
  return readerChannels === null || ('channelId' in actor && readerChannels.includes(actor.channelId));
}

type Case = { readonly rules: WorkspaceRules; readonly actor: Person | Actor; readonly needs: Need };

async function reasonAgainst(
  { standingOf }: RightsDeps,
  { rules, actor, needs }: Case,
  onWait: () => void,
): Promise<AppError | undefined> {
  let standing: Standing;
  try {
    standing = await standingOf(actor, onWait);
  } catch (cause) {
    return notChecked(cause);
  }
  const held = effectiveRole(standing, rules.granted.get(actor.userId), rules.settings.guestReaders);
  if (held === undefined) return shutOut(standing, rules);
  if (needs === 'reader') return held === 'reader' && !mayRead(rules, actor) ? readElsewhere(rules) : undefined;
  return isEnough(held, needs) ? undefined : lacking(needs, standing, rules);
}

/** @returns for the audit, in which a sentence would be too long */
function whyOf({ code }: AppError): string {
  return code === 'forbidden' ? 'no right' : 'not checked';
}

function notChecked(cause: unknown): AppError {
  return new AppError('unavailable', 'Slack did not say whether you may do that, so I have not done it.', {
    hint: 'Please try again in a minute.',
    isRetryable: true,
    cause,
  });
}

/** @param standing of somebody who may not even read @param rules left out where nobody is to be named @returns one sentence */
export function shutOut(standing: Standing, rules?: WorkspaceRules): AppError {
  if (standing === 'deactivated') {
    return new AppError('forbidden', 'Slack says that your account is deactivated, so I do nothing for it.');
  }
  if (standing === 'external') {
    return new AppError(
      'forbidden',
      'I answer only members of this workspace, and Slack says that you belong to another.',
    );
  }
  const sentence = 'Guests of this workspace may not use this bot until one of its admins allows it in the settings.';
  return new AppError('forbidden', sentence, rules && { userIds: adminIds(rules) });
}

function readElsewhere({ settings: { readerChannels } }: WorkspaceRules): AppError {
  return new AppError('forbidden', 'The admins of this bot chose the channels in which everybody may ask it.', {
    hint: 'Elsewhere, and in direct messages, it answers operators and admins only.',
    channelIds: readerChannels ?? [],
  });
}

function lacking(needs: Need, standing: Standing, rules: WorkspaceRules): AppError {
  const sentence = `Only an ${needs} of this bot may do that.`;
  if (standing === 'guest' || standing === 'single_channel_guest') {
    return new AppError('forbidden', sentence, { hint: 'Guests of this workspace can ask, and nothing else.' });
  }
  return new AppError('forbidden', sentence, {
    hint: 'Admins of this workspace are admins of this bot too. They, and whoever they named, can give you the right in its settings.',
    userIds: adminIds(rules),
  });
}

/** @returns those whom an admin named */
function adminIds({ granted }: WorkspaceRules): readonly string[] {
  return [...granted].flatMap(([userId, role]: readonly [string, Role]) => (role === 'admin' ? [userId] : []));
}
