/** What a menu that finds workflows by name offers while a person types. */
import type { Middleware, SlackOptionsMiddlewareArgs } from '@slack/bolt';
import type { PlainTextOption } from '@slack/types';
import type { NameSearch } from '../commands/search-names.ts';
import { AppError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { commandOption } from '../views/kit/command-button.ts';
import { workflowOptions } from '../views/workflow-menu.ts';
import type { Acknowledgements } from './acknowledgement.ts';
import { type NameQuery, readNameQuery } from './envelope.ts';
import { describe } from './errors.ts';
import { readRecord } from './read.ts';

export type OptionsListenerDeps = {
  readonly searchNames: NameSearch;
  readonly acknowledgements: Acknowledgements;
  readonly log: Logger;
};

/** All that this answer can carry: where nothing is known in time, it is that nothing is found. */
type Options = { readonly options: PlainTextOption[] };

export const noOptions: Options = { options: [] };

export function createOptionsListener(
  deps: OptionsListenerDeps,
): Middleware<SlackOptionsMiddlewareArgs<'block_suggestion'>> {
  return async ({ body, ack, context }) => {
    const acknowledgement = deps.acknowledgements.open<Options>((found = noOptions) => ack(found));
    const query = readNameQuery(readRecord(body), context.teamId);
    await acknowledgement.carry(query ? await find(deps, query) : noOptions);
  };
}

async function find({ searchNames, log }: OptionsListenerDeps, { asker, typed, lineFor }: NameQuery): Promise<Options> {
  try {
    const found = await searchNames(asker, typed);
    return { options: workflowOptions(found, lineFor).map(commandOption) };
  } catch (thrown) {
    const error = thrown instanceof AppError ? thrown.code : describe(thrown);
    log.warn({ teamId: asker.teamId, error }, 'no names for a menu');
    return noOptions;
  }
}
