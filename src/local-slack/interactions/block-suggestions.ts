/** `block_suggestion`: asks the app for the options of an external select while a person types. */

import type { BlockProblem } from '../../shared/block-kit/schema.ts';
import { validateBlocks } from '../../shared/block-kit/validate.ts';
import { isRecord, type JsonRecord } from '../../shared/json.ts';
import type { PageOptionGroup } from '../page/protocol.ts';
import { deliveryError } from '../server/delivery.ts';
import type { Option } from '../state/offered-options.ts';
import type { InteractiveElement } from './elements.ts';
import { type InteractionDeps, sendInteraction } from './invoke.ts';
import { type ElementAddress, interactionFields, type LocateError, locateElement } from './locate-element.ts';

export type SuggestionQuery = ElementAddress & {
  /** The typed text. */
  readonly value: string;
};

export type SuggestResult =
  | { readonly ok: true; readonly groups: readonly PageOptionGroup[]; readonly afterMs: number }
  | {
      readonly ok: false;
      readonly error:
        | 'operation_timeout'
        | 'dispatch_failed'
        | LocateError
        /** Shorter than `min_query_length`: Slack sends no request. */
        | 'query_too_short'
        | 'invalid_options';
      /** Set with `invalid_options`. */
      readonly problems?: readonly BlockProblem[];
    };

const queryLengthDefault = 3;

export async function suggestOptions(query: SuggestionQuery, deps: InteractionDeps): Promise<SuggestResult> {
  const located = locateElement(query, deps);
  if (typeof located === 'string') return { ok: false, error: located };
  const { found, surfaceKey } = located;
  if (!isFilledByApp(found)) return { ok: false, error: 'no_such_element' };
  if (query.value.length < queryLengthMin(found)) return { ok: false, error: 'query_too_short' };
  const acknowledgement = await sendInteraction(
    located.workspace,
    {
      type: 'block_suggestion',
      action_id: query.actionId,
      block_id: found.blockId,
      value: query.value,
      ...interactionFields(located, deps),
    },
    deps,
    true,
  );
  if (acknowledgement.kind !== 'acknowledged') return { ok: false, error: deliveryError(acknowledgement) };
  const answer = readOptions(acknowledgement.payload);
  if ('problems' in answer) {
    deps.log.warn({ problems: answer.problems }, 'The options of a menu were refused');
    return { ok: false, error: 'invalid_options', problems: answer.problems };
  }
  deps.offeredOptions.add(
    query.user,
    surfaceKey,
    found,
    answer.groups.flatMap(({ options }) => options),
  );
  return { ok: true, groups: answer.groups, afterMs: acknowledgement.afterMs };
}

function isFilledByApp({ element }: InteractiveElement): boolean {
  return element['type'] === 'external_select' || element['type'] === 'multi_external_select';
}

function queryLengthMin({ element }: InteractiveElement): number {
  const length = element['min_query_length'];
  return typeof length === 'number' ? length : queryLengthDefault;
}

type Answer = { readonly groups: readonly PageOptionGroup[] } | { readonly problems: readonly BlockProblem[] };

/** https://docs.slack.dev/reference/interaction-payloads/block_suggestion-payload: `options` or `option_groups`. */
function readOptions(payload: unknown): Answer {
  const fields = isRecord(payload) ? payload : {};
  const { options, option_groups: groups } = fields;
  const list = options ?? groups;
  // An empty list is valid here, but not in a static menu.
  if (Array.isArray(list) && list.length === 0 && Object.keys(fields).length === 1) return { groups: [] };
  const problems = menuProblems(fields);
  if (problems.length > 0) return { problems };
  if (options) return { groups: [{ label: null, options: options as readonly Option[] }] };
  return { groups: groups as readonly PageOptionGroup[] };
}

/** The rules are those of a static menu. */
function menuProblems(fields: JsonRecord): readonly BlockProblem[] {
  const menu = { type: 'static_select', action_id: 'menu', ...fields };
  const problems = validateBlocks([{ type: 'actions', elements: [menu] }], 'message');
  return problems.map(({ pointer, reason }) => ({ pointer: pointer.replace('/blocks/0/elements/0', ''), reason }));
}
