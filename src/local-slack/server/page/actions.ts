/** Handlers for a person's actions in the page, and the wording of refusals. */

import { isRecord, type JsonRecord, readText } from '../../../shared/json.ts';
import { type ActionResult, performAction } from '../../interactions/block-actions.ts';
import { type SuggestResult, suggestOptions } from '../../interactions/block-suggestions.ts';
import { unarchive } from '../../interactions/channels.ts';
import { closeView } from '../../interactions/close-view.ts';
import { type CommandResult, runCommand } from '../../interactions/commands.ts';
import type { InteractionDeps } from '../../interactions/invoke.ts';
import type { ElementAddress } from '../../interactions/locate-element.ts';
import { deleteMessage, postUserMessage } from '../../interactions/messages.ts';
import { openDetails } from '../../interactions/open-details.ts';
import { openHome } from '../../interactions/open-home.ts';
import { enterable, findOwnView } from '../../interactions/own-view.ts';
import { runShortcut, type ShortcutResult } from '../../interactions/shortcuts.ts';
import { type SubmitResult, submitView } from '../../interactions/submit-view.ts';
import type { ElementValue, InputValues, PageResult, PageSuggestions } from '../../page/protocol.ts';

export type PageActionHandler = (fields: JsonRecord, deps: InteractionDeps) => Promise<PageResult | PageSuggestions>;

/** Handlers by method and path. */
export const pageActions: ReadonlyMap<string, PageActionHandler> = new Map<string, PageActionHandler>([
  ['POST /page/send', sendTyped],
  ['POST /page/action', performElementAction],
  ['POST /page/shortcut', pickShortcut],
  ['POST /page/delete', removeMessage],
  ['POST /page/suggest', suggest],
  ['POST /page/submit', submit],
  ['POST /page/close', close],
  ['POST /page/home', openHomeTab],
  ['POST /page/details', openLinkDetails],
  ['POST /page/workspace', addWorkspace],
  ['POST /page/organization', addOrganization],
  ['POST /page/access', grantAccess],
  ['POST /page/switch', setSwitch],
  ['POST /page/uninstall', uninstall],
  ['POST /page/unarchive', unarchiveChannel],
]);

async function sendTyped(fields: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const text = textField(fields, 'text');
  const typed = {
    ...actorOf(fields),
    channel: textField(fields, 'channel'),
    threadTs: readText(fields, 'threadTs') ?? null,
  };
  if (text.startsWith('/')) return afterCommand(await runCommand({ ...typed, text }, deps));
  return postUserMessage({ ...typed, text }, deps)
    ? { ok: true }
    : { ok: false, error: 'Your message could not be sent.' };
}

/** Shows no error in the page if Slackbot already posted one. */
function afterCommand(result: CommandResult): PageResult {
  if (result.ok || result.message) return { ok: true };
  const isOutside = result.error === 'not_in_channel';
  const error = isOutside ? 'Only members of a channel can use commands there.' : 'There is no such conversation.';
  return { ok: false, error };
}

async function performElementAction(fields: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const worked = { ...element(fields, deps), selected: chosen(fields['selected']) };
  return afterInvocation(await performAction(worked, deps), deps);
}

async function pickShortcut(fields: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const [channel, ts, callbackId] = [
    textField(fields, 'channel'),
    textField(fields, 'ts'),
    textField(fields, 'callbackId'),
  ];
  return afterInvocation(await runShortcut({ ...actorOf(fields), channel, ts, callbackId }, deps), deps);
}

async function removeMessage(fields: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const isGone = deleteMessage(
    { ...actorOf(fields), channel: textField(fields, 'channel'), ts: textField(fields, 'ts') },
    deps,
  );
  return isGone ? { ok: true } : { ok: false, error: 'Only the author of a message and admins can delete it.' };
}

async function suggest(fields: JsonRecord, deps: InteractionDeps): Promise<PageSuggestions> {
  const result = await suggestOptions({ ...element(fields, deps), value: textField(fields, 'value') }, deps);
  if (result.ok) return { ok: true, groups: result.groups };
  const [problem] = result.problems ?? [];
  const detail = problem ? ` ${problem.pointer} ${problem.reason}` : '';
  return { ok: false, error: invocationErrors[result.error](deps.app.name) + detail };
}

async function submit(fields: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const result = await submitView({ ...actorOf(fields), ...viewOf(fields, deps) }, deps);
  if (result.ok) return { ok: true };
  const error = submitError(result.error);
  return 'errors' in result ? { ok: false, error, errors: result.errors } : { ok: false, error };
}

async function close(fields: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const closed = { ...actorOf(fields), view: textField(fields, 'view'), isWhole: fields['isWhole'] === true };
  const result = await closeView(closed, deps);
  return result.ok ? { ok: true } : { ok: false, error: invocationErrors[result.error](deps.app.name) };
}

async function openHomeTab(fields: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const isOpen = openHome({ ...actorOf(fields), tab: fields['tab'] === 'messages' ? 'messages' : 'home' }, deps);
  return isOpen ? { ok: true } : { ok: false, error: 'There is no such member.' };
}

async function openLinkDetails(fields: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const place = { channel: textField(fields, 'channel'), ts: textField(fields, 'ts'), url: textField(fields, 'url') };
  return openDetails({ ...actorOf(fields), ...place }, deps)
    ? { ok: true }
    : { ok: false, error: 'This preview is no longer there.' };
}

async function addWorkspace(_: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  deps.workspaces.add();
  return { ok: true };
}

async function addOrganization(_: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const { id } = deps.workspaces.addOrganization(2);
  const [home, ...others] = deps.workspaces.all.filter(({ organization }) => organization?.id === id);
  // Its admin, who installs apps, is a member everywhere.
  const admins = home?.people.filter((person) => home.organization?.adminIds.has(person.id)) ?? [];
  for (const workspace of others) for (const admin of admins) workspace.addPerson(admin);
  return { ok: true };
}

/** As on Slack's page on which an organization adds an app to its workspaces. */
async function grantAccess(fields: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const workspace = deps.workspaces.find(textField(fields, 'team'));
  if (!workspace?.organization) return { ok: false, error: 'There is no such workspace in an organization.' };
  await deps.lifecycle.changeAccess(workspace.organization, [workspace.teamId], true);
  return { ok: true };
}

async function setSwitch(fields: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const name = textField(fields, 'name');
  if (name !== 'hasHistoryLimit' && name !== 'refusesCharts') return { ok: false, error: 'There is no such switch.' };
  deps.switches.set(name, fields['isOn'] === true);
  return { ok: true };
}

async function unarchiveChannel(fields: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const isBack = unarchive({ ...actorOf(fields), channel: textField(fields, 'channel') }, deps);
  return isBack ? { ok: true } : { ok: false, error: 'This channel is not archived.' };
}

async function uninstall(fields: JsonRecord, deps: InteractionDeps): Promise<PageResult> {
  const workspace = deps.workspaces.find(textField(fields, 'team'));
  if (!workspace) return { ok: false, error: 'There is no such workspace.' };
  const organization = workspace.servingOrganization;
  if (organization) await deps.lifecycle.changeAccess(organization, [workspace.teamId], false);
  else await deps.lifecycle.uninstall(workspace);
  return { ok: true };
}

/** Slack's wording for a failed submission, with the error code. */
function submitError(error: (SubmitResult & { ok: false })['error']): string {
  if (error === 'invalid_input' || error === 'refused_by_app') return 'Please correct what is marked.';
  return `We had some trouble connecting. Try again? (${error})`;
}

type Invoked = ActionResult | ShortcutResult;

function afterInvocation(result: Invoked, { app }: InteractionDeps): PageResult {
  return result.ok ? { ok: true } : { ok: false, error: invocationErrors[result.error](app.name) };
}

type InvocationError = ((Invoked | SuggestResult) & { ok: false })['error'];

const invocationErrors: Readonly<Record<InvocationError, (app: string) => string>> = {
  operation_timeout: (app) => `${app} did not respond in time. (operation_timeout)`,
  dispatch_failed: (app) => `${app} is not connected. (dispatch_failed)`,
  message_not_found: () => 'This message is no longer there.',
  view_not_found: () => 'This view is no longer there.',
  no_such_element: () => 'This control is no longer there.',
  query_too_short: () => 'Type more to search.',
  invalid_options: (app) => `${app} answered with options that Slack does not take. (invalid_options)`,
  no_such_shortcut: (app) => `${app} has no such shortcut.`,
};

function actorOf(fields: JsonRecord) {
  return { user: textField(fields, 'user') };
}

function element(fields: JsonRecord, deps: InteractionDeps): ElementAddress {
  const common = { ...actorOf(fields), blockId: textField(fields, 'blockId'), actionId: textField(fields, 'actionId') };
  if ('view' in fields) return { ...common, ...viewOf(fields, deps) };
  return { ...common, channel: textField(fields, 'channel'), ts: textField(fields, 'ts') };
}

function viewOf(fields: JsonRecord, deps: InteractionDeps) {
  const id = textField(fields, 'view');
  const own = findOwnView(textField(fields, 'user'), id, deps);
  return { view: id, values: own ? enterable(own.view, entered(fields['values']), deps) : {} };
}

function textField(fields: JsonRecord, name: string): string {
  return readText(fields, name) ?? '';
}

function entered(value: unknown): InputValues {
  return mapped(value, (block) => mapped(block, chosen));
}

function mapped<Made>(value: unknown, make: (each: unknown) => Made): Readonly<Record<string, Made>> {
  return Object.fromEntries(Object.entries(isRecord(value) ? value : {}).map(([name, each]) => [name, make(each)]));
}

function chosen(value: unknown): ElementValue {
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string');
  return typeof value === 'string' && value !== '' ? value : null;
}
