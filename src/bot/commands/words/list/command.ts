/** `list`: a page of the organization's workflows. */
import { z } from 'zod';
import { pageNumber, searchText, statusList } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { listMessage } from './view.ts';

const pageSize = 20;

export const list = defineCommand({
  name: 'list',
  group: 'look',
  summary: 'the workflows with their status, last run, successes and failures',
  usage: '[text] [--status active,paused,…] [--page n]',
  examples: ['list', 'list pay', 'list --status paused'],
  arguments: z.strictObject({
    text: searchText,
    status: statusList(['PENDING', 'FAILED', 'ACTIVE', 'PAUSED', 'DELETED']),
    page: pageNumber,
  }),
  run: async ({ text, status: statuses, page }, context) => {
    const { data, provenance } = await context.ask().workflows({
      ...(text !== undefined && { search: text }),
      ...(statuses && { statuses }),
      page: page - 1,
      size: pageSize,
    });
    return ephemeral(listMessage({ ...data, text, statuses, page, provenance, now: context.clock() }));
  },
});
