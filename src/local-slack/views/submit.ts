/** A person submits a modal: `view_submission`, and what the app answers to it. */

import { interactiveElements, type State } from '../interactions/elements.ts';
import { actorFields, type InvokeDeps, tellApp } from '../interactions/invoke.ts';
import type { Entered } from '../page/protocol.ts';
import { deliveryError } from '../server/delivery.ts';
import { type Fields, isRecord } from '../server/json.ts';
import { inputErrors } from './input-errors.ts';
import { enterValues, findOwnView, type OwnView } from './own-view.ts';
import { readView } from './read-view.ts';
import { responseUrlFields } from './response-urls.ts';
import { type SlackView, viewForApps, viewState } from './view.ts';

export type Submitted = {
  readonly user: string;
  /** Its id. */
  readonly view: string;
  /** What the person entered since the app last heard of it. */
  readonly values?: Entered;
};

/** What stands under the inputs, by block id. */
export type InputErrors = Readonly<Record<string, string>>;

export type SubmitResult =
  | { readonly ok: true; readonly afterMs: number }
  /** Slack itself did not take what was entered, and asked the app nothing; or the app answered with errors. */
  | { readonly ok: false; readonly error: 'invalid_input' | 'refused_by_app'; readonly errors: InputErrors }
  | { readonly ok: false; readonly error: SubmitError };

type SubmitError =
  | 'operation_timeout'
  | 'dispatch_failed'
  | 'view_not_found'
  | 'no_such_element'
  /** The app answered with what Slack does not take. */
  | 'invalid_view_response';

/** @returns after the acknowledgement: the modal is gone, replaced or covered, or stays with its errors */
export async function submitView(submitted: Submitted, deps: InvokeDeps): Promise<SubmitResult> {
  const own = findOwnView(submitted.user, submitted.view, deps);
  if (own?.view.type !== 'modal') return { ok: false, error: 'view_not_found' };
  const view = enterValues(own, submitted.values ?? {}, deps);
  if (!view) return { ok: false, error: 'no_such_element' };
  const state = viewState(view, deps.offers);
  const errors = inputErrors(interactiveElements(view.blocks), state);
  if (Object.keys(errors).length > 0) return { ok: false, error: 'invalid_input', errors };
  const acknowledgement = await tellApp(
    own.workspace,
    {
      type: 'interactive',
      payload: submission({ ...own, view }, state, deps),
      acceptsResponsePayload: true,
    },
    deps,
  );
  if (acknowledgement.kind !== 'acknowledged') return { ok: false, error: deliveryError(acknowledgement) };
  const refused = carryOut(acknowledgement.payload, { ...own, view }, deps);
  return refused ?? { ok: true, afterMs: acknowledgement.afterMs };
}

function submission(own: OwnView, state: State, deps: InvokeDeps): Fields {
  const { workspace, person, view } = own;
  const { channelId } = view;
  return {
    type: 'view_submission',
    ...actorFields(own, deps),
    trigger_id: deps.triggers.issue({ workspace, userId: person.id, channelId, viewId: view.id }),
    view: viewForApps(view, { appId: deps.app.id, workspace, state }),
    response_urls: responseUrlFields(own, state, deps),
  };
}

/** https://docs.slack.dev/surfaces/modals#updating_response @returns why not */
function carryOut(payload: unknown, own: OwnView, deps: InvokeDeps): (SubmitResult & { ok: false }) | undefined {
  const { workspace, view } = own;
  const answer = isRecord(payload) ? payload : {};
  const action = answer['response_action'];
  if (Object.keys(answer).length === 0) {
    workspace.views.close(view);
    return undefined;
  }
  if (action === 'clear') {
    const [lowest] = workspace.views.stack(view.userId);
    if (lowest) workspace.views.close(lowest);
    return undefined;
  }
  if (action === 'errors') return showErrors(answer['errors'], view, deps);
  if (action === 'update' || action === 'push') return showView(action, answer['view'], own, deps);
  return refuse(deps, `unknown response_action: ${String(action).slice(0, 40)}`);
}

function refuse({ log }: InvokeDeps, why: unknown): SubmitResult & { ok: false } {
  log.warn({ why }, 'The answer to a submission was refused');
  return { ok: false, error: 'invalid_view_response' };
}

/** Only inputs can carry one. */
function showErrors(errors: unknown, view: SlackView, deps: InvokeDeps): SubmitResult & { ok: false } {
  const inputs = new Set(view.blocks.filter(({ type }) => type === 'input').map(({ block_id: id }) => id));
  const told = Object.entries(isRecord(errors) ? errors : {});
  const texts = told.flatMap(([id, text]) => (inputs.has(id) && typeof text === 'string' ? [[id, text] as const] : []));
  if (texts.length === 0 || texts.length < told.length) return refuse(deps, 'errors have to name input blocks');
  return { ok: false, error: 'refused_by_app', errors: Object.fromEntries(texts) };
}

/** A modal that is gone meanwhile is not brought back. */
function showView(action: 'update' | 'push', sent: unknown, { workspace, view }: OwnView, deps: InvokeDeps) {
  const read = readView(sent, 'modal');
  if (!('content' in read)) return refuse(deps, read.problems);
  const current = workspace.views.find(view.id);
  if (!current) return undefined;
  if (action === 'update') {
    workspace.views.update(current, read.content);
    return undefined;
  }
  const pushed = workspace.views.push(read.content, view.userId);
  return typeof pushed === 'string' ? refuse(deps, pushed) : undefined;
}
