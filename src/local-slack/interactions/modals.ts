/** A person fills in, submits and closes their own views. */
import { isRecord, type JsonRecord, readText } from '../../shared/json.ts';
import type { ElementValue, InputValues } from '../page/protocol.ts';
import type { LocalSlack } from '../server/local-slack.ts';
import { Refused } from '../state/content.ts';
import { readView, type SlackView, viewForApps, viewState } from '../state/view.ts';
import { type InteractiveElement, interactiveElements, type State, selectedState } from './elements.ts';
import { type Actor, actorFields, carryOut, findActors, sendInteraction } from './invoke.ts';

export type OwnView = Actor & { readonly view: SlackView };

/** @throws Refused for a closed view or the view of another person */
export function findOwnView(user: string, id: string, { workspaces }: LocalSlack): OwnView {
  for (const actor of findActors(workspaces.all, user)) {
    const view = actor.workspace.views.find(id);
    if (view?.userId === user) return { ...actor, view };
  }
  throw new Refused('view_not_found');
}

function findOwnModal(user: string, id: string, slack: LocalSlack): OwnView {
  const own = findOwnView(user, id, slack);
  if (own.view.type !== 'modal') throw new Refused('view_not_found');
  return own;
}

/** @returns the view with the values; undefined, and changes nothing, if one of them is invalid */
export function enterValues(own: OwnView, values: InputValues, slack: LocalSlack): OwnView | undefined {
  const isWhole = Object.entries(values).every(([blockId, block]) =>
    Object.entries(block).every(([actionId, chosen]) => canEnter(own.view, blockId, actionId, chosen, slack)),
  );
  return isWhole ? { ...own, view: own.workspace.views.enter(own.view, values) } : undefined;
}

/** @returns only valid values: an update may have removed an option that the page still shows as selected */
export function enterable(view: SlackView, values: InputValues, slack: LocalSlack): InputValues {
  const blocks = Object.entries(values).map(([blockId, block]) => {
    const valid = Object.entries(block).filter(([actionId, chosen]) =>
      canEnter(view, blockId, actionId, chosen, slack),
    );
    return [blockId, Object.fromEntries(valid)] as const;
  });
  return Object.fromEntries(blocks);
}

function canEnter(
  view: SlackView,
  blockId: string,
  actionId: string,
  chosen: ElementValue,
  { offeredOptions }: LocalSlack,
): boolean {
  const isIt = (each: InteractiveElement) => each.blockId === blockId && each.element['action_id'] === actionId;
  const found = interactiveElements(view.blocks).find(isIt);
  const offered = found ? offeredOptions.find(view.userId, view.id, found) : [];
  return found !== undefined && selectedState(found.element, chosen, offered) !== undefined;
}

export type ViewClosing = {
  readonly user: string;
  /** Id of the view. */
  readonly view: string;
  /** True if the person pressed the cross in the corner, which closes the whole stack. */
  readonly isWhole?: boolean;
};

/** Tells the app nothing: no view of the bot asks for `view_closed`. @throws Refused for a view that is not open */
export function closeView({ user, view: id, isWhole = false }: ViewClosing, slack: LocalSlack): void {
  const { workspace, view } = findOwnModal(user, id, slack);
  const [lowest = view] = workspace.views.stack(user);
  workspace.views.close(isWhole ? lowest : view);
}

export type ViewSubmission = {
  readonly user: string;
  /** Id of the view. */
  readonly view: string;
  /** Values entered since the last request to the app. */
  readonly values?: InputValues;
};

/** Error texts of the inputs, by block id. */
type InputErrors = Readonly<Record<string, string>>;

/**
 * Checks the inputs, sends `view_submission` and carries out the app's `response_action`. Resolves after the
 * acknowledgement: the modal is then closed, replaced, covered by another one, or unchanged with its errors.
 */
export async function submitView(
  { user, view: id, values = {} }: ViewSubmission,
  slack: LocalSlack,
): Promise<{ readonly afterMs: number }> {
  const own = enterValues(findOwnModal(user, id, slack), values, slack);
  if (!own) throw new Refused('no_such_element');
  const { workspace, person, view } = own;
  const state = viewState(view, slack.offeredOptions);
  const errors = inputErrors(interactiveElements(view.blocks), state);
  if (Object.keys(errors).length > 0) throw new Refused('invalid_input', [], { errors });
  const payload = {
    type: 'view_submission',
    ...actorFields(own, slack),
    trigger_id: slack.triggers.issue({ workspace, userId: person.id }),
    view: viewForApps(view, workspace, slack.app.id, state),
    // None: no input of the bot asks for one.
    response_urls: [],
  };
  const { payload: answer, afterMs } = await sendInteraction(workspace, payload, slack, true);
  const refused = carryOut('invalid_view_response', slack, () => respond(answer, own));
  if (refused) throw new Refused('refused_by_app', [], { errors: refused });
  return { afterMs };
}

/** https://docs.slack.dev/surfaces/modals#updating_response @returns the app's errors for the inputs, if any */
function respond(payload: unknown, { workspace, view }: OwnView): InputErrors | undefined {
  const { views } = workspace;
  const answer = isRecord(payload) ? payload : {};
  const action = answer['response_action'];
  if (action === 'errors') return readErrors(answer['errors'], view);
  if (action === 'update' || action === 'push') {
    const content = readView(answer['view'], 'modal');
    const current = views.find(view.id);
    // It may have been closed meanwhile.
    if (current && action === 'update') views.update(current, content);
    if (current && action === 'push') views.push(content, view.userId);
  } else if (Object.keys(answer).length > 0 && action !== 'clear') {
    throw new Refused(`unknown response_action: ${String(action).slice(0, 40)}`);
  } else {
    const lowest = action === 'clear' ? views.stack(view.userId)[0] : view;
    if (lowest) views.close(lowest);
  }
  return undefined;
}

/** Only input blocks can have errors. */
function readErrors(errors: unknown, view: SlackView): InputErrors {
  const inputs = new Set(view.blocks.filter(({ type }) => type === 'input').map(({ block_id: id }) => id));
  const reported = Object.entries(isRecord(errors) ? errors : {});
  const texts = reported.flatMap(([id, text]) =>
    inputs.has(id) && typeof text === 'string' ? [[id, text] as const] : [],
  );
  if (texts.length === 0 || texts.length < reported.length) throw new Refused('errors have to name input blocks');
  return Object.fromEntries(texts);
}

/** @returns errors by block id; empty for valid input */
function inputErrors(elements: readonly InteractiveElement[], state: State): Readonly<Record<string, string>> {
  const errors = elements.flatMap(({ block, blockId, element }) => {
    if (block['type'] !== 'input') return [];
    const reported = state[blockId]?.[readText(element, 'action_id') ?? ''];
    const error = reported && inputError(element, chosenIn(reported), block['optional'] === true);
    return error === undefined ? [] : [[blockId, error] as const];
  });
  return Object.fromEntries(errors);
}

function chosenIn({ type: _, ...reported }: JsonRecord): unknown {
  return Object.values(reported)[0];
}

function inputError(element: JsonRecord, value: unknown, isOptional: boolean): string | undefined {
  const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  if (isEmpty) return isOptional ? undefined : 'Please complete this required field.';
  if (Array.isArray(value)) return countError(element, value.length);
  return typeof value === 'string' ? lengthError(element, value) : undefined;
}

function countError({ max_selected_items: max }: JsonRecord, count: number): string | undefined {
  return typeof max === 'number' && count > max ? `Please choose no more than ${max}.` : undefined;
}

function lengthError({ min_length: min, max_length: max }: JsonRecord, value: string): string | undefined {
  if (typeof min === 'number' && value.length < min) return `Please enter at least ${min} characters.`;
  return typeof max === 'number' && value.length > max ? `Please enter no more than ${max} characters.` : undefined;
}
