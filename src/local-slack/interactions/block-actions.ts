/**
 * `block_actions` and `block_suggestion`: pressed buttons, selected options, and typed text in external selects, in messages
 * and in views.
 */
import type { AnyBlock, PlainTextOption } from '@slack/types';
import { validateBlocks } from '../../shared/block-kit/validate.ts';
import { type JsonRecord, readRecord, readText } from '../../shared/json.ts';
import type { ElementValue, InputValues } from '../page/protocol.ts';
import type { LocalSlack } from '../server/local-slack.ts';
import { Refused } from '../state/content.ts';
import type { SlackMessage } from '../state/history.ts';
import type { Channel } from '../state/seed.ts';
import { type SlackView, viewForApps, viewState } from '../state/view.ts';
import { channelNameForApps } from '../state/workspace.ts';
import { messageForApps } from '../web-api/method.ts';
import { actionFields, type InteractiveElement, interactiveElements, stateValues } from './elements.ts';
import { type Actor, actorFields, carryOut, findMessage, type OnMessage, sendInteraction } from './invoke.ts';
import { enterValues, findOwnView } from './modals.ts';

type InView = {
  readonly user: string;
  /** The id of a modal or a Home. */
  readonly view: string;
  /** Values entered in it meanwhile. */
  readonly values?: InputValues;
};

type ElementAddress = (OnMessage | InView) & {
  readonly actionId: string;
  /** Needed only if two blocks have the same action id. */
  readonly blockId?: string;
};

type Surface =
  | { readonly kind: 'message'; readonly message: SlackMessage; readonly channel: Channel }
  | { readonly kind: 'view'; readonly view: SlackView };

type LocatedElement = Actor & {
  readonly surface: Surface;
  /** Key of the message or the view. */
  readonly surfaceKey: string;
  /** All interactive elements there. */
  readonly elements: readonly InteractiveElement[];
  readonly found: InteractiveElement;
};

/** @throws Refused if this person cannot reach the element */
function locateElement(address: ElementAddress, slack: LocalSlack): LocatedElement {
  const { blocks, ...located } = 'view' in address ? locateInView(address, slack) : locateInMessage(address, slack);
  const { actionId, blockId } = address;
  const elements = interactiveElements(blocks);
  const found = elements.find((each) => {
    return each.element['action_id'] === actionId && (blockId === undefined || each.blockId === blockId);
  });
  if (!found) throw new Refused('no_such_element');
  return { ...located, elements, found };
}

type Located = Omit<LocatedElement, 'elements' | 'found'> & { readonly blocks: readonly AnyBlock[] };

function locateInMessage(address: OnMessage, slack: LocalSlack): Located {
  const located = findMessage(address, slack);
  if (!located) throw new Refused('message_not_found');
  const { workspace, person, channel, message } = located;
  const surfaceKey = `${channel.id}/${message.ts}`;
  return { workspace, person, surface: { kind: 'message', message, channel }, surfaceKey, blocks: message.blocks };
}

function locateInView({ user, view: id, values = {} }: InView, slack: LocalSlack): Located {
  const own = enterValues(findOwnView(user, id, slack), values, slack);
  if (!own) throw new Refused('no_such_element');
  const { workspace, person, view } = own;
  return { workspace, person, surface: { kind: 'view', view }, surfaceKey: id, blocks: view.blocks };
}

/** The payload's fields for the person and the place. For an ephemeral message Slack omits the message itself. */
function interactionFields(located: LocatedElement, slack: LocalSlack): JsonRecord {
  const { surface, workspace } = located;
  const actor = actorFields(located, slack);
  if (surface.kind === 'view') {
    const view = viewForApps(surface.view, workspace, slack.app.id, viewState(surface.view, slack.offeredOptions));
    return { ...actor, container: { type: 'view', view_id: surface.view.id }, view };
  }
  const { message, channel } = surface;
  return {
    ...actor,
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: message.isEphemeral,
      ...(message.threadTs !== null && { thread_ts: message.threadTs }),
    },
    channel: { id: channel.id, name: channelNameForApps(channel) },
    ...(!message.isEphemeral && { message: messageForApps(message, workspace, slack) }),
  };
}

export type ElementAction = ElementAddress & {
  /** The chosen value of a menu, boxes or an input; a list in a multi-select. */
  readonly selected?: ElementValue;
};

export type Invoked = {
  /** Empty for an element of a view: Slack sends none there. */
  readonly responseUrl: string;
  readonly afterMs: number;
};

export async function performAction(worked: ElementAction, slack: LocalSlack): Promise<Invoked> {
  const located = locateElement(worked, slack);
  const { found, workspace, person, surfaceKey } = located;
  const selected = worked.selected ?? null;
  const action = actionFields(found.element, selected, slack.offeredOptions.find(person.id, surfaceKey, found));
  if (!action) throw new Refused('no_such_element');
  const after = keepSelected(located, selected, slack);
  const inMessage = messageFields(after, selected, slack);
  const payload = {
    type: 'block_actions',
    ...interactionFields(after, slack),
    trigger_id: slack.triggers.issue({ workspace, userId: person.id }),
    ...inMessage,
    actions: [{ ...action, block_id: found.blockId, action_ts: (slack.clock() / 1000).toFixed(6) }],
  };
  const { afterMs } = await sendInteraction(workspace, payload, slack);
  return { responseUrl: readText(inMessage, 'response_url') ?? '', afterMs };
}

/** Keeps the selected value in the view until it is submitted. */
function keepSelected(located: LocatedElement, selected: ElementValue, slack: LocalSlack): LocatedElement {
  const { surface, found, workspace, person } = located;
  if (surface.kind === 'message') return located;
  const entered = enterValues({ workspace, person, view: surface.view }, enteredIn(found, selected), slack);
  return entered ? { ...located, surface: { kind: 'view', view: entered.view } } : located;
}

function enteredIn({ blockId, element }: InteractiveElement, selected: ElementValue): InputValues {
  return { [blockId]: { [String(element['action_id'])]: selected } };
}

/** A view carries its own state and has no response_url. */
function messageFields(located: LocatedElement, selected: ElementValue, slack: LocalSlack): JsonRecord {
  const { surface, found, elements, workspace, person, surfaceKey } = located;
  if (surface.kind === 'view') return {};
  const { channel, message } = surface;
  const offered = (each: InteractiveElement) => slack.offeredOptions.find(person.id, surfaceKey, each);
  const entered = selected === null ? {} : enteredIn(found, selected);
  const invocation = { workspace, userId: person.id, channelId: channel.id, originalTs: message.ts };
  return {
    state: { values: stateValues(elements, { entered, offered }) },
    response_url: slack.responseUrls.issue({ ...invocation, kind: 'actions' }),
  };
}

export type SuggestionQuery = ElementAddress & {
  /** The typed text. */
  readonly value: string;
};

export type Suggested = { readonly options: readonly PlainTextOption[]; readonly afterMs: number };

const queryLengthDefault = 3;

/** A text shorter than `min_query_length` sends no request. */
export async function suggestOptions(query: SuggestionQuery, slack: LocalSlack): Promise<Suggested> {
  const located = locateElement(query, slack);
  const { found, surfaceKey, workspace } = located;
  if (!['external_select', 'multi_external_select'].includes(String(found.element['type'])))
    throw new Refused('no_such_element');
  if (query.value.length < queryLengthMin(found)) throw new Refused('query_too_short');
  const element = { action_id: query.actionId, block_id: found.blockId, value: query.value };
  const payload = { type: 'block_suggestion', ...element, ...interactionFields(located, slack) };
  const { payload: answer, afterMs } = await sendInteraction(workspace, payload, slack, true);
  const options = carryOut('invalid_options', slack, () => readOptions(readRecord(answer)));
  slack.offeredOptions.add(query.user, surfaceKey, found, options);
  return { options, afterMs };
}

function queryLengthMin({ element }: InteractiveElement): number {
  const length = element['min_query_length'];
  return typeof length === 'number' ? length : queryLengthDefault;
}

/**
 * https://docs.slack.dev/reference/interaction-payloads/block_suggestion-payload: `options`. The bot answers without
 * `option_groups`, which are refused.
 */
function readOptions(fields: JsonRecord): readonly PlainTextOption[] {
  const { options = null } = fields;
  // An empty list is valid here, but not in a static menu.
  if (Array.isArray(options) && options.length === 0 && Object.keys(fields).length === 1) return [];
  // Otherwise the rules are those of a static menu.
  const menu = { type: 'static_select', action_id: 'menu', ...fields, options };
  const problems = validateBlocks([{ type: 'actions', elements: [menu] }], 'message').map(({ pointer, reason }) => {
    return { pointer: pointer.replace('/blocks/0/elements/0', ''), reason };
  });
  if (problems.length > 0) throw new Refused('invalid_options', problems, { problems });
  return options as readonly PlainTextOption[];
}
