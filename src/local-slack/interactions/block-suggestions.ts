/** `block_suggestion`: asks the app for the options of an external select while a person types. */

import { validateBlocks } from '../../shared/block-kit/validate.ts';
import { type JsonRecord, readRecord } from '../../shared/json.ts';
import type { PageOptionGroup } from '../page/protocol.ts';
import type { LocalSlack } from '../server/local-slack.ts';
import { Refused } from '../state/content.ts';
import type { Option } from '../state/offered-options.ts';
import { type ElementAddress, interactionFields, locateElement } from './block-actions.ts';
import type { InteractiveElement } from './elements.ts';
import { carryOut, sendInteraction } from './invoke.ts';

export type SuggestionQuery = ElementAddress & {
  /** The typed text. */
  readonly value: string;
};

export type Suggested = { readonly groups: readonly PageOptionGroup[]; readonly afterMs: number };

const queryLengthDefault = 3;

/** A text shorter than `min_query_length` sends no request. */
export async function suggestOptions(query: SuggestionQuery, slack: LocalSlack): Promise<Suggested> {
  const located = locateElement(query, slack);
  const { found, surfaceKey, workspace } = located;
  if (!isFilledByApp(found)) throw new Refused('no_such_element');
  if (query.value.length < queryLengthMin(found)) throw new Refused('query_too_short');
  const element = { action_id: query.actionId, block_id: found.blockId, value: query.value };
  const payload = { type: 'block_suggestion', ...element, ...interactionFields(located, slack) };
  const { payload: answer, afterMs } = await sendInteraction(workspace, payload, slack, true);
  const groups = carryOut('invalid_options', slack, () => readOptions(readRecord(answer)));
  const options = groups.flatMap((group) => group.options);
  slack.offeredOptions.add(query.user, surfaceKey, found, options);
  return { groups, afterMs };
}

function isFilledByApp({ element }: InteractiveElement): boolean {
  return element['type'] === 'external_select' || element['type'] === 'multi_external_select';
}

function queryLengthMin({ element }: InteractiveElement): number {
  const length = element['min_query_length'];
  return typeof length === 'number' ? length : queryLengthDefault;
}

/** https://docs.slack.dev/reference/interaction-payloads/block_suggestion-payload: `options` or `option_groups`. */
function readOptions(fields: JsonRecord): readonly PageOptionGroup[] {
  const { options, option_groups: groups } = fields;
  const list = options ?? groups;
  // An empty list is valid here, but not in a static menu.
  if (Array.isArray(list) && list.length === 0 && Object.keys(fields).length === 1) return [];
  // Otherwise the rules are those of a static menu.
  const menu = { type: 'static_select', action_id: 'menu', ...fields };
  const problems = validateBlocks([{ type: 'actions', elements: [menu] }], 'message').map(({ pointer, reason }) => {
    return { pointer: pointer.replace('/blocks/0/elements/0', ''), reason };
  });
  if (problems.length > 0) throw new Refused('invalid_options', problems, { problems });
  return options ? [{ label: null, options: options as readonly Option[] }] : (groups as readonly PageOptionGroup[]);
}
