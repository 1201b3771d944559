/** Pressed buttons and chosen options: `block_actions`, as Slack sends them for channel and ephemeral messages. */
import { actionFields, type Found, initialState } from './elements.ts';
import { type ElementAddress, interactionFields, reachElement } from './interaction.ts';
import { type InvokeDeps, newTriggerId } from './invoke.ts';
import type { Fields } from './json.ts';

export type Worked = ElementAddress & {
  /** For a menu: the chosen option's value, id, date or time. */
  readonly selected?: string | null;
};

export type ActionResult =
  | { readonly ok: true; readonly responseUrl: string; readonly afterMs: number }
  | {
      readonly ok: false;
      readonly error: 'operation_timeout' | 'dispatch_failed' | 'message_not_found' | 'no_such_element';
    };

export async function workElement(worked: Worked, deps: InvokeDeps): Promise<ActionResult> {
  const reached = reachElement(worked, deps);
  if (typeof reached === 'string') return { ok: false, error: reached };
  const { invoker, message, elements, found } = reached;
  const offered = deps.offers.find(worked.user, message, found);
  const action = actionFields(found.element, worked.selected ?? null, offered);
  if (!action) return { ok: false, error: 'no_such_element' };

  const responsePath = deps.responseUrls.issue({
    workspace: invoker.workspace,
    userId: invoker.person.id,
    channelId: invoker.channel.id,
    kind: 'actions',
    originalTs: message.ts,
  });
  const responseUrl = deps.baseUrl() + responsePath;
  const acknowledgement = await deps.socketMode.deliver({
    type: 'interactive',
    payload: {
      type: 'block_actions',
      ...interactionFields(reached, deps),
      trigger_id: newTriggerId(deps.clock),
      state: { values: stateValues(elements, found, action) },
      response_url: responseUrl,
      actions: [{ ...action, block_id: found.blockId, action_ts: actionTs(deps) }],
    },
    acceptsResponsePayload: false,
  });
  if (acknowledgement.kind === 'undelivered') return { ok: false, error: 'dispatch_failed' };
  if (acknowledgement.kind === 'timed_out') return { ok: false, error: 'operation_timeout' };
  return { ok: true, responseUrl, afterMs: acknowledgement.afterMs };
}

function stateValues(elements: readonly Found[], worked: Found, action: Fields): Fields {
  const values: Record<string, Record<string, unknown>> = {};
  for (const { blockId, element } of elements) {
    const untouched = initialState(element);
    if (!untouched) continue;
    const names = Object.keys(untouched);
    const chosen = Object.fromEntries(names.map((name) => [name, action[name] ?? null]));
    const block = values[blockId] ?? {};
    values[blockId] = { ...block, [String(element['action_id'])]: element === worked.element ? chosen : untouched };
  }
  return values;
}

function actionTs({ clock }: InvokeDeps): string {
  return (clock() / 1000).toFixed(6);
}
