/** Settings that the admins of a workspace choose, and their defaults. */
import { z } from 'zod';
import { AppError } from '../../shared/errors.ts';
import { isChannelId } from './person.ts';
import { guestReaders } from './role.ts';

/** Null: everywhere. */
const channels = z.array(z.string().refine(isChannelId)).max(200).nullable().default(null);

const settings = z
  .object({
    /** The readers of an answer that is not shared. */
    defaultVisibility: z.enum(['ephemeral', 'channel']).default('ephemeral'),
    /** The channels in which every member may read. */
    readerChannels: channels,
    /** The channels in which logs may be shown. */
    logChannels: channels,
    /** The guests of the workspace who may read. */
    guestReaders: z.enum(guestReaders).default('none'),
    /** True if values that look like secrets are masked. */
    isRedacting: z.boolean().default(true),
  })
  .readonly();

export type WorkspaceSettings = z.output<typeof settings>;

export const defaultSettings = settings.parse({});

/**
 * @param value parsed JSON; missing settings keep their defaults, unknown ones are dropped
 * @throws AppError `internal` if a setting is invalid: a default could be weaker than the intended rule
 */
export function readWorkspaceSettings(value: unknown): WorkspaceSettings {
  const { success, data } = settings.safeParse(value);
  if (success) return data;
  throw new AppError('internal', 'This version of the bot cannot read the settings of this workspace.', {
    hint: 'A newer version wrote them. Ask the person who runs this bot to start that version.',
  });
}
