/** `settings`: roles, guests, visibility of answers and logs, and masking. */
import { z } from 'zod';
import { isChannelId } from '../../../domain/person.ts';
import { guestReaders, type Role } from '../../../domain/role.ts';
import type { WorkspaceRules } from '../../../domain/workspace-rules.ts';
import { oneOf } from '../../framework/arguments.ts';
import { defineCommand, defineForm } from '../../framework/command.ts';
import { channelsMax, peopleMax, settingsChangedMessage, settingsModal } from './view.ts';

const otherForm = 'Choose from the list.';
const channels = z.array(z.string().refine(isChannelId, otherForm)).max(channelsMax).default([]);
const people = z
  .array(z.string().regex(/^[UW][A-Z0-9]{1,30}$/, otherForm))
  .max(peopleMax)
  .default([]);

const form = defineForm({
  values: z
    .strictObject({
      admins: people,
      operators: people,
      visibility: oneOf(['ephemeral', 'channel']),
      readers: oneOf(['everywhere', 'chosen']),
      readersChannels: channels,
      logs: oneOf(['everywhere', 'chosen', 'nowhere']),
      logsChannels: channels,
      // Missing in forms of older versions.
      guests: oneOf(guestReaders).default('none'),
      redaction: oneOf(['on', 'off']),
    })
    .superRefine((values, { addIssue }) => {
      for (const subject of ['readers', 'logs'] as const) {
        const channels = `${subject}Channels` as const;
        if (values[subject] !== 'chosen' || values[channels].length > 0) continue;
        addIssue({
          code: 'custom',
          path: [channels],
          message: 'Choose at least one channel, or another option above.',
        });
      }
    }),
  submit: async (values, { actor, services }) => {
    const channelsOf = (subject: 'readers' | 'logs') => {
      if (values[subject] === 'chosen') return values[`${subject}Channels`];
      return values[subject] === 'nowhere' ? [] : null;
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
    return { kind: 'close', message: settingsChangedMessage(await services.access.changeRules(actor, wanted)) };
  },
});

export const settings = defineCommand({
  name: 'settings',
  group: 'setup',
  summary: 'who may do what, where answers and logs appear, what is masked',
  usage: '',
  examples: ['settings'],
  needs: 'admin',
  arguments: z.strictObject({}),
  form,
  run: async (_nothing, { actor, services: { access, slashCommand } }) => {
    const { settings: chosen, granted } = await access.storedRulesOf(actor.teamId);
    const peopleWith = (wanted: Role) => [...granted].filter(([, role]) => role === wanted).map(([userId]) => userId);
    const shown = { settings: chosen, admins: peopleWith('admin'), operators: peopleWith('operator'), slashCommand };
    return { kind: 'modal', view: settingsModal(shown) };
  },
});
