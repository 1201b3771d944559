/** Settings that the admins of a workspace choose, and their defaults. */

import { AppError } from '../../shared/errors.ts';
import { isChannelId } from './person.ts';
import { type GuestReaders, guestReaders } from './role.ts';

export type WorkspaceSettings = {
  /** The readers of an answer that is not shared. */
  readonly defaultVisibility: 'ephemeral' | 'channel';
  /** The channels in which every member may read; null: everywhere. */
  readonly readerChannels: readonly string[] | null;
  /** The channels in which logs may be shown; null: everywhere. */
  readonly logChannels: readonly string[] | null;
  /** The guests of the workspace who may read. */
  readonly guestReaders: GuestReaders;
  /** True if values that look like secrets are masked. */
  readonly isRedacting: boolean;
};

export const defaultSettings: WorkspaceSettings = Object.freeze({
  defaultVisibility: 'ephemeral',
  readerChannels: null,
  logChannels: null,
  guestReaders: 'none',
  isRedacting: true,
});

const channelsMax = 200;

/**
 * @param value parsed JSON; missing settings keep their defaults, unknown ones are dropped
 * @throws AppError `internal` if a setting is invalid: a default could be weaker than the intended rule
 */
export function readWorkspaceSettings(value: unknown): WorkspaceSettings {
  const given: Readonly<Record<string, unknown>> = { ...defaultSettings, ...Object(value) };
  const { defaultVisibility, readerChannels, logChannels, guestReaders: guests, isRedacting } = given;
  if (
    (defaultVisibility === 'ephemeral' || defaultVisibility === 'channel') &&
    isChannels(readerChannels) &&
    isChannels(logChannels) &&
    isGuestReaders(guests) &&
    typeof isRedacting === 'boolean'
  ) {
    return Object.freeze({ defaultVisibility, readerChannels, logChannels, guestReaders: guests, isRedacting });
  }
  throw new AppError('internal', 'This version of the bot cannot read the settings of this workspace.', {
    hint: 'A newer version wrote them. Ask the person who runs this bot to start that version.',
  });
}

function isGuestReaders(value: unknown): value is GuestReaders {
  return guestReaders.some((guests) => guests === value);
}

function isChannels(value: unknown): value is readonly string[] | null {
  if (value === null) return true;
  return Array.isArray(value) && value.length <= channelsMax && value.every(isChannelId);
}
