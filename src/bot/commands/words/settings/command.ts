/** `settings`: roles, guests, visibility of answers and logs, and masking. */
import { z } from 'zod';
import { isChannelId } from '../../../domain/channel-id.ts';
import { guestReaders, type Role } from '../../../domain/role.ts';
import type { WorkspaceRules } from '../../../domain/workspace-rules.ts';
import { defineCommand, defineForm } from '../../framework/command.ts';
import { channelsMax, peopleMax, settingsChangedMessage, settingsModal } from './view.ts';

const otherForm = 'Choose from the list.';
const channels = z.array(z.string().refine(isChannelId, otherForm)).max(channelsMax).default([]);
const people = z
  .array(z.string().regex(/^[UW][A-Z0-9]{1,30}$/, otherForm))
  .max(peopleMax)
  .default([]);
/** The form offers these values, so only another version of it can submit others. */
const way = <const Way extends string>(ways: readonly [Way, ...Way[]]) => z.enum(ways, { error: 'Please choose one.' });

const form = defineForm({
  values: z
    .strictObject({
      admins: people,
      operators: people,
      visibility: way(['ephemeral', 'channel']),
      readers: way(['everywhere', 'chosen']),
      readersChannels: channels,
      logs: way(['everywhere', 'chosen', 'nowhere']),
      logsChannels: channels,
      // Missing in forms of older versions.
      guests: way(guestReaders).default('none'),
      redaction: way(['on', 'off']),
    })
    .superRefine((values, { addIssue }) => {
      for (const place of ['readers', 'logs'] as const) {
        const channels = `${place}Channels` as const;
        if (values[place] !== 'chosen' || values[channels].length > 0) continue;
        addIssue({ code: 'custom', path: [channels], message: 'Choose at least one channel, or another way above.' });
      }
    }),
  submit: async (values, { administration }) => {
    const channelsOf = (place: 'readers' | 'logs') => {
      if (values[place] === 'chosen') return values[`${place}Channels`];
      return values[place] === 'nowhere' ? [] : null;
    };
    const wanted: WorkspaceRules = {
      granted: new Map<string, Role>([
        ...values.operators.map((userId) => [userId, 'operator'] as const),
        ...values.admins.map((userId) => [userId, 'admin'] as const),
      ]),
      settings: {
        defaultVisibility: values.visibility,
        readerChannels: channelsOf('readers'),
        logChannels: channelsOf('logs'),
        guestReaders: values.guests,
        isRedacting: values.redaction === 'on',
      },
    };
    return { kind: 'close', message: settingsChangedMessage(await administration().change(wanted)) };
  },
});

export const settings = defineCommand({
  name: 'settings',
  summary: 'who may do what, where answers and logs are seen, what is masked',
  usage: '',
  examples: ['settings'],
  needs: 'admin',
  arguments: z.strictObject({}),
  form,
  run: async (_nothing, { administration }) => {
    const { settings: chosen, granted } = await administration().rules();
    const holding = (role: Role) => [...granted].filter(([, held]) => held === role).map(([userId]) => userId);
    const shown = { settings: chosen, admins: holding('admin'), operators: holding('operator') };
    return { kind: 'modal', view: settingsModal(shown) };
  },
});
