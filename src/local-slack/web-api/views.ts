/** views.open, views.push, views.update, views.publish. */
import { type JsonRecord, readText } from '../../shared/json.ts';
import { Refused } from '../state/content.ts';
import type { TriggerContext } from '../state/triggers.ts';
import { readView, type SlackView, type ViewContent, viewForApps, viewState } from '../state/view.ts';
import { findPerson } from '../state/workspace.ts';
import type { Call } from './method.ts';

export function openView(call: Call): JsonRecord {
  const { content, trigger } = redeem(call);
  return shown(call.workspace.views.open(content, trigger), call);
}

export function pushView(call: Call): JsonRecord {
  const { content, trigger } = redeem(call);
  // Only an action in a modal can push another one.
  const below = trigger.viewId === null ? undefined : call.workspace.views.find(trigger.viewId);
  if (below?.type !== 'modal') throw new Refused('not_found');
  return shown(call.workspace.views.push(content, trigger.userId), call);
}

export function updateView(call: Call): JsonRecord {
  const { fields, workspace } = call;
  const id = readText(fields, 'view_id');
  const externalId = readText(fields, 'external_id');
  if (id === undefined && externalId === undefined) throw new Refused('invalid_arguments');
  const content = readView(fields['view'], 'modal');
  const view = id === undefined ? workspace.views.findExternal(externalId ?? '') : workspace.views.find(id);
  if (view?.type !== 'modal') throw new Refused('not_found');
  checkHash(call, view);
  checkExternalId(content, call, view);
  return shown(workspace.views.update(view, content), call);
}

export function publishView(call: Call): JsonRecord {
  const { fields, workspace } = call;
  if (!call.app.hasHome) throw new Refused('not_enabled');
  const person = findPerson(workspace, readText(fields, 'user_id') ?? '');
  if (!person || person.isBot) {
    throw new Refused('invalid_arguments', [], { response_metadata: { messages: ['invalid `user_id`'] } });
  }
  const content = readView(fields['view'], 'home');
  const current = workspace.views.home(person.id);
  checkHash(call, current);
  checkExternalId(content, call, current);
  return shown(workspace.views.publish(content, person.id), call);
}

/** An invalid view leaves its trigger unused. */
function redeem(call: Call): { readonly content: ViewContent; readonly trigger: TriggerContext } {
  const { fields, workspace, triggers } = call;
  const triggerId = readText(fields, 'trigger_id');
  if (triggerId === undefined) throw new Refused('invalid_arguments');
  const content = readView(fields['view'], 'modal');
  checkExternalId(content, call);
  return { content, trigger: triggers.redeem(triggerId, workspace) };
}

function checkHash({ fields }: Call, current: SlackView | undefined): void {
  const hash = readText(fields, 'hash');
  if (hash !== undefined && hash !== current?.hash) throw new Refused('hash_conflict');
}

/** @param current the view that may have it */
function checkExternalId({ externalId }: ViewContent, { workspace }: Call, current?: SlackView): void {
  const other = workspace.views.findExternal(externalId);
  if (other && other.id !== current?.id) throw new Refused('duplicate_external_id');
}

function shown(view: SlackView, { workspace, app, offeredOptions }: Call): JsonRecord {
  return { view: viewForApps(view, workspace, app.id, viewState(view, offeredOptions)) };
}
