/** Submits a modal: checks its inputs, sends `view_submission`, carries out the app's `response_action`. */

import { isRecord, type JsonRecord, readText } from '../../shared/json.ts';
import type { InputValues } from '../page/protocol.ts';
import { deliveryError } from '../server/delivery.ts';
import { Refused } from '../state/content.ts';
import { readView, type SlackView, viewForApps, viewState } from '../state/view.ts';
import { type InteractiveElement, interactiveElements, type State } from './elements.ts';
import { actorFields, type InteractionDeps, sendInteraction } from './invoke.ts';
import { enterValues, findOwnView, type OwnView } from './own-view.ts';

export type ViewSubmission = {
  readonly user: string;
  /** Id of the view. */
  readonly view: string;
  /** Values entered since the last request to the app. */
  readonly values?: InputValues;
};

/** Error texts of the inputs, by block id. */
type InputErrors = Readonly<Record<string, string>>;

export type SubmitResult =
  | { readonly ok: true; readonly afterMs: number }
  /** Slack's own validation failed and the app got no request, or the app answered with errors. */
  | { readonly ok: false; readonly error: 'invalid_input' | 'refused_by_app'; readonly errors: InputErrors }
  | { readonly ok: false; readonly error: SubmitError };

type SubmitError =
  | 'operation_timeout'
  | 'dispatch_failed'
  | 'view_not_found'
  | 'no_such_element'
  /** The app's reply is invalid. */
  | 'invalid_view_response';

/**
 * Resolves after the acknowledgement. The modal is then closed, replaced, covered by another one, or unchanged with its
 * errors.
 */
export async function submitView(submitted: ViewSubmission, deps: InteractionDeps): Promise<SubmitResult> {
  const own = findOwnView(submitted.user, submitted.view, deps);
  if (own?.view.type !== 'modal') return { ok: false, error: 'view_not_found' };
  const view = enterValues(own, submitted.values ?? {}, deps);
  if (!view) return { ok: false, error: 'no_such_element' };
  const state = viewState(view, deps.offeredOptions);
  const errors = inputErrors(interactiveElements(view.blocks), state);
  if (Object.keys(errors).length > 0) return { ok: false, error: 'invalid_input', errors };
  const acknowledgement = await sendInteraction(own.workspace, submission({ ...own, view }, state, deps), deps, true);
  if (acknowledgement.kind !== 'acknowledged') return { ok: false, error: deliveryError(acknowledgement) };
  try {
    const refused = carryOut(acknowledgement.payload, { ...own, view });
    if (refused) return { ok: false, error: 'refused_by_app', errors: refused };
    return { ok: true, afterMs: acknowledgement.afterMs };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    deps.log.warn({ error: error.message, problems: error.problems }, 'The answer to a submission was refused');
    return { ok: false, error: 'invalid_view_response' };
  }
}

function submission(own: OwnView, state: State, deps: InteractionDeps): JsonRecord {
  const { workspace, person, view } = own;
  const { channelId } = view;
  return {
    type: 'view_submission',
    ...actorFields(own, deps),
    trigger_id: deps.triggers.issue({ workspace, userId: person.id, channelId, viewId: view.id }),
    view: viewForApps(view, { appId: deps.app.id, workspace, state }),
    // None: no input of the bot asks for one.
    response_urls: [],
  };
}

/** https://docs.slack.dev/surfaces/modals#updating_response @returns the app's errors for the inputs, if any */
function carryOut(payload: unknown, { workspace, view }: OwnView): InputErrors | undefined {
  const { views } = workspace;
  const answer = isRecord(payload) ? payload : {};
  const action = answer['response_action'];
  if (action === 'errors') return readErrors(answer['errors'], view);
  if (action === 'update' || action === 'push') {
    const content = readView(answer['view'], 'modal');
    const current = views.find(view.id);
    // It may have been closed meanwhile.
    if (current && action === 'update') views.update(current, content);
    const pushed = current && action === 'push' && views.push(content, view.userId);
    if (typeof pushed === 'string') throw new Refused(pushed);
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
