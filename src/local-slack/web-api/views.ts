/** views.open, views.push, views.update, views.publish. */
import { type JsonRecord, readText } from '../../shared/json.ts';
import type { TriggerContext } from '../state/triggers.ts';
import { readView, type SlackView, type ViewContent, viewForApps, viewState } from '../state/view.ts';
import { findPerson } from '../state/workspace.ts';
import { type Call, type Method, type Reply, refuse, refuseContent } from './method.ts';

export const openView: Method = {
  token: 'bot',
  scope: null,
  run: (call) => {
    const exchanged = exchange(call);
    if ('reply' in exchanged) return exchanged.reply;
    const { content, trigger } = exchanged;
    return shown(call.workspace.views.open(content, trigger), call);
  },
};

export const pushView: Method = {
  token: 'bot',
  scope: null,
  run: (call) => {
    const exchanged = exchange(call);
    if ('reply' in exchanged) return exchanged.reply;
    const { content, trigger } = exchanged;
    // Only an action in a modal can push another one.
    const below = trigger.viewId === null ? undefined : call.workspace.views.find(trigger.viewId);
    if (below?.type !== 'modal') return refuse('not_found');
    const pushed = call.workspace.views.push(content, trigger.userId);
    return typeof pushed === 'string' ? refuse(pushed) : shown(pushed, call);
  },
};

export const updateView: Method = {
  token: 'bot',
  scope: null,
  run: (call) => {
    const { fields, workspace } = call;
    const id = readText(fields, 'view_id');
    const externalId = readText(fields, 'external_id');
    if (id === undefined && externalId === undefined) return refuse('invalid_arguments');
    const read = readView(fields['view'], 'modal');
    if (!('content' in read)) return refuseContent(read);
    const view = id === undefined ? workspace.views.findExternal(externalId ?? '') : workspace.views.find(id);
    if (view?.type !== 'modal') return refuse('not_found');
    const hash = readText(fields, 'hash');
    if (hash !== undefined && hash !== view.hash) return refuse('hash_conflict');
    if (isTaken(read.content, call, view)) return refuse('duplicate_external_id');
    return shown(workspace.views.update(view, read.content), call);
  },
};

export const publishView: Method = {
  token: 'bot',
  scope: null,
  run: (call) => {
    const { fields, workspace } = call;
    if (!call.hasHome) return refuse('not_enabled');
    const person = findPerson(workspace, readText(fields, 'user_id') ?? '');
    if (!person || person.isBot) return refuse('invalid_arguments', invalid('user_id'));
    const read = readView(fields['view'], 'home');
    if (!('content' in read)) return refuseContent(read);
    const current = workspace.views.home(person.id);
    const hash = readText(fields, 'hash');
    if (hash !== undefined && hash !== current?.hash) return refuse('hash_conflict');
    if (isTaken(read.content, call, current)) return refuse('duplicate_external_id');
    return shown(workspace.views.publish(read.content, person.id), call);
  },
};

/** Slack's error for an invalid argument, in Slack's words. */
function invalid(argument: string): JsonRecord {
  return { response_metadata: { messages: [`invalid \`${argument}\``] } };
}

type Exchanged = { readonly content: ViewContent; readonly trigger: TriggerContext } | { readonly reply: Reply };

/** An invalid view leaves its trigger unused. */
function exchange(call: Call): Exchanged {
  const { fields, workspace, triggers } = call;
  const triggerId = readText(fields, 'trigger_id');
  if (triggerId === undefined) return { reply: refuse('invalid_arguments') };
  const read = readView(fields['view'], 'modal');
  if (!('content' in read)) return { reply: refuseContent(read) };
  if (isTaken(read.content, call)) return { reply: refuse('duplicate_external_id') };
  const trigger = triggers.redeem(triggerId, workspace);
  return typeof trigger === 'string' ? { reply: refuse(trigger) } : { content: read.content, trigger };
}

/** @param but the view that may have it */
function isTaken({ externalId }: ViewContent, { workspace }: Call, but?: SlackView): boolean {
  const other = workspace.views.findExternal(externalId);
  return other !== undefined && other.id !== but?.id;
}

function shown(view: SlackView, { workspace, appId, offeredOptions }: Call): Reply {
  return { ok: true, view: viewForApps(view, { appId, workspace, state: viewState(view, offeredOptions) }) };
}
