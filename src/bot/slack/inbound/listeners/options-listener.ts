/** Answers menus that search while a person types. */
import type { Middleware, SlackOptionsMiddlewareArgs } from '@slack/bolt';
import type { PlainTextOption } from '@slack/types';
import { AppError } from '../../../../shared/errors.ts';
import { readRecord } from '../../../../shared/json.ts';
import { commandOption } from '../../../views/blocks/command-button.ts';
import { noNamesChoice, optionOf, workflowChoices, workflowOptions, zoneChoice } from '../../../views/blocks/inputs.ts';
import { fitsAcknowledgement } from '../../outbound/delivery/payload.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { type MenuQuery, readMenuQuery } from '../middleware/read-payload.ts';
import type { InboundServices } from '../services.ts';
import type { Inbound } from './inbound.ts';

type MenuOptions = { readonly options: PlainTextOption[] };

export const noOptions: MenuOptions = { options: [] };

export function createOptionsListener({
  services,
  acknowledgements,
}: Inbound): Middleware<SlackOptionsMiddlewareArgs<'block_suggestion'>> {
  return async ({ body, ack, context }) => {
    const query = readMenuQuery(readRecord(body), context.teamId);
    const acknowledgement = acknowledgements.open<MenuOptions>((found = withoutNames(query)) => ack(found));
    await acknowledgement.ackWith(query ? await find(services, query) : noOptions);
  };
}

async function find(services: InboundServices, query: MenuQuery): Promise<MenuOptions> {
  try {
    const found = await optionsFor(services, query);
    return found ? { options: fitting(found) } : withoutNames(query);
  } catch (thrown) {
    const error = thrown instanceof AppError ? thrown.code : describe(thrown);
    services.runtime.log.warn({ teamId: query.person.teamId, error }, 'menu options could not be found');
    return noOptions;
  }
}

/** The first of them that one acknowledgement takes: names of another alphabet are long. */
function fitting(found: readonly PlainTextOption[]): PlainTextOption[] {
  const options = [...found];
  while (!fitsAcknowledgement({ options })) options.length = Math.floor(options.length * 0.9);
  return options;
}

async function optionsFor(
  { searchNames, searchZones }: InboundServices,
  { person, typed, menu }: MenuQuery,
): Promise<readonly PlainTextOption[] | undefined> {
  if (menu === 'zones') return (await searchZones(person, typed)).map(zoneChoice).map(optionOf);
  const names = await searchNames(person, typed);
  if (menu === 'workflows') return names && workflowChoices(names).map(optionOf);
  return names && workflowOptions(names, menu).map(commandOption);
}

/** An empty menu says that no name matches. A menu cannot show a note, so an option says that the names are not known. */
const namesUnknown: MenuOptions = { options: [optionOf(noNamesChoice)] };
const listInstead: MenuOptions = {
  options: [commandOption({ label: 'No names from the query service yet: list all workflows', line: 'list' })],
};

/** @returns the answer if the names are not known in time, or the service does not give them */
function withoutNames(query: MenuQuery | undefined): MenuOptions {
  if (query === undefined || query.menu === 'zones') return noOptions;
  return query.menu === 'workflows' ? namesUnknown : listInstead;
}
