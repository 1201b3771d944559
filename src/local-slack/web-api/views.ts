/** views.open, views.update, views.publish. */
import { type JsonRecord, readText } from '../../shared/json.ts';
import { Refused } from '../state/content.ts';
import { readView, type SlackView, viewForApps, viewState } from '../state/view.ts';
import { findPerson } from '../state/workspace.ts';
import type { Call } from './method.ts';

/** An invalid view leaves its trigger unused. */
export function openView(call: Call): JsonRecord {
  const { fields, workspace, triggers } = call;
  const triggerId = readText(fields, 'trigger_id');
  if (triggerId === undefined) throw new Refused('invalid_arguments');
  const content = readView(fields['view'], 'modal');
  return shown(workspace.views.open(content, triggers.redeem(triggerId, workspace).userId), call);
}

export function updateView(call: Call): JsonRecord {
  const { fields, workspace } = call;
  const content = readView(fields['view'], 'modal');
  const view = workspace.views.find(readText(fields, 'view_id') ?? '');
  if (view?.type !== 'modal') throw new Refused('not_found');
  checkHash(call, view);
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
  checkHash(call, workspace.views.home(person.id));
  return shown(workspace.views.publish(content, person.id), call);
}

function checkHash({ fields }: Call, current: SlackView | undefined): void {
  const hash = readText(fields, 'hash');
  if (hash !== undefined && hash !== current?.hash) throw new Refused('hash_conflict');
}

function shown(view: SlackView, { workspace, app, offeredOptions }: Call): JsonRecord {
  return { view: viewForApps(view, workspace, app.id, viewState(view, offeredOptions)) };
}
