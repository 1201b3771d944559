/** Handlers for a person's actions in the page, and the wording of refusals. */
import { isRecord, type JsonRecord, readText } from '../../../shared/json.ts';
import { type ElementAddress, performAction, suggestOptions } from '../../interactions/block-actions.ts';
import { unarchive } from '../../interactions/channels.ts';
import { runCommand } from '../../interactions/commands.ts';
import { outcomeOf } from '../../interactions/invoke.ts';
import { deleteMessage, postUserMessage, runShortcut } from '../../interactions/messages.ts';
import { closeView, enterable, findOwnView, submitView } from '../../interactions/modals.ts';
import { openDetails, openHome } from '../../interactions/open-home.ts';
import type { ElementValue, InputValues, PageRequests } from '../../page/protocol.ts';
import { Refused } from '../../state/content.ts';
import type { LocalSlack } from '../local-slack.ts';

/** @throws Refused with an error code, or with a sentence for the person */
type Handler = (fields: JsonRecord, slack: LocalSlack) => unknown;

/** Handlers of `POST /page/<name>`. */
const handlers: Readonly<Record<keyof PageRequests, Handler>> = {
  send: sendTyped,
  action: (fields, slack) => performAction({ ...element(fields, slack), selected: chosen(fields['selected']) }, slack),
  suggest: (fields, slack) => suggestOptions({ ...element(fields, slack), value: text(fields, 'value') }, slack),
  shortcut: (fields, slack) => runShortcut({ ...place(fields), callbackId: text(fields, 'callbackId') }, slack),
  delete: (fields, slack) =>
    refuseUnless(deleteMessage(place(fields), slack), 'Only the author of a message and admins can delete it.'),
  details: (fields, slack) =>
    refuseUnless(
      openDetails({ ...place(fields), url: text(fields, 'url') }, slack),
      'This preview is no longer there.',
    ),
  submit: (fields, slack) => submitView(viewOf(fields, slack), slack),
  close: (fields, slack) => closeView({ ...viewOf(fields, slack), isWhole: fields['isWhole'] === true }, slack),
  home: (fields, slack) => {
    const tab = fields['tab'] === 'messages' ? 'messages' : 'home';
    refuseUnless(openHome({ user: text(fields, 'user'), tab }, slack), 'There is no such member.');
  },
  unarchive: (fields, slack) => refuseUnless(unarchive(place(fields), slack), 'This channel is not archived.'),
  workspace: (_, slack) => slack.workspaces.add(),
  organization: (_, slack) => addOrganization(slack),
  // As on Slack's page on which an organization adds an app to its workspaces.
  access: (fields, slack) => {
    const { organization, teamId } = slack.workspaces.find(text(fields, 'team')) ?? {};
    if (!organization || teamId === undefined) throw new Refused('There is no such workspace in an organization.');
    return slack.appEvents.changeAccess(organization, [teamId], true);
  },
  uninstall: (fields, slack) => {
    const workspace = slack.workspaces.find(text(fields, 'team'));
    if (!workspace) throw new Refused('There is no such workspace.');
    const { servingOrganization: organization, teamId } = workspace;
    return organization
      ? slack.appEvents.changeAccess(organization, [teamId], false)
      : slack.appEvents.uninstall(workspace);
  },
  switch: (fields, slack) => {
    const name = text(fields, 'name');
    if (name !== 'hasHistoryLimit' && name !== 'refusesCharts') throw new Refused('There is no such switch.');
    slack.switches.set(name, fields['isOn'] === true);
  },
};

/** @param name of a request; undefined for an unknown one @returns the reply, with the options of a suggestion */
export function pageAction(name: string) {
  const handler = Object.hasOwn(handlers, name) ? handlers[name as keyof PageRequests] : undefined;
  if (!handler) return undefined;
  return async (fields: JsonRecord, slack: LocalSlack): Promise<JsonRecord> => {
    const act = async () => ({ done: await handler(fields, slack) });
    const outcome = await outcomeOf(act());
    if (outcome.ok) {
      const { done } = outcome;
      return { ok: true, ...(isRecord(done) && 'groups' in done && { groups: done['groups'] }) };
    }
    const { error, errors, problems: [problem] = [] } = outcome;
    const words = name === 'submit' ? submitWords(error) : (errorWords[error]?.(slack.app.name) ?? error);
    const detail = problem ? ` ${problem.pointer} ${problem.reason}` : '';
    return { ok: false, error: words + detail, ...(errors && { errors }) };
  };
}

function refuseUnless(isDone: boolean, sentence: string): void {
  if (!isDone) throw new Refused(sentence);
}

/** Refuses nothing of which Slackbot already told the person. */
async function sendTyped(fields: JsonRecord, slack: LocalSlack): Promise<void> {
  const { user, channel } = place(fields);
  const typed = { user, channel, threadTs: readText(fields, 'threadTs') ?? null, text: text(fields, 'text') };
  if (!typed.text.startsWith('/')) {
    refuseUnless(postUserMessage(typed, slack) !== undefined, 'Your message could not be sent.');
    return;
  }
  const outcome = await outcomeOf(runCommand(typed, slack));
  if (outcome.ok || outcome.message) return;
  const isOutside = outcome.error === 'not_in_channel';
  throw new Refused(isOutside ? 'Only members of a channel can use commands there.' : 'There is no such conversation.');
}

function addOrganization({ workspaces }: LocalSlack): void {
  const organization = workspaces.addOrganization(2);
  const [home, ...others] = workspaces.all.filter((each) => each.organization === organization);
  // Its admin, who installs apps, is a member everywhere.
  const admins = home?.people.filter(({ id }) => organization.adminIds.has(id)) ?? [];
  for (const workspace of others) for (const admin of admins) workspace.addPerson(admin);
}

/** Slack's wording for a failed submission, with the error code. */
function submitWords(error: string): string {
  const isAboutInputs = error === 'invalid_input' || error === 'refused_by_app';
  return isAboutInputs ? 'Please correct what is marked.' : `We had some trouble connecting. Try again? (${error})`;
}

const errorWords: Readonly<Record<string, (app: string) => string>> = {
  operation_timeout: (app) => `${app} did not respond in time. (operation_timeout)`,
  dispatch_failed: (app) => `${app} is not connected. (dispatch_failed)`,
  message_not_found: () => 'This message is no longer there.',
  view_not_found: () => 'This view is no longer there.',
  no_such_element: () => 'This control is no longer there.',
  query_too_short: () => 'Type more to search.',
  invalid_options: (app) => `${app} answered with options that Slack does not take. (invalid_options)`,
  no_such_shortcut: (app) => `${app} has no such shortcut.`,
};

function place(fields: JsonRecord) {
  return { user: text(fields, 'user'), channel: text(fields, 'channel'), ts: text(fields, 'ts') };
}

function element(fields: JsonRecord, slack: LocalSlack): ElementAddress {
  const where = 'view' in fields ? viewOf(fields, slack) : place(fields);
  return { ...where, blockId: text(fields, 'blockId'), actionId: text(fields, 'actionId') };
}

function viewOf(fields: JsonRecord, slack: LocalSlack) {
  const [user, id] = [text(fields, 'user'), text(fields, 'view')];
  const { view } = findOwnView(user, id, slack);
  return { user, view: id, values: enterable(view, entered(fields['values']), slack) };
}

function text(fields: JsonRecord, name: string): string {
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
