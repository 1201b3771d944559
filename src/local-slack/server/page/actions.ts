/** Handlers for a person's actions in the page, and the wording of refusals. */
import { isRecord, type JsonRecord } from '../../../shared/json.ts';
import { performAction, suggestOptions } from '../../interactions/block-actions.ts';
import { runCommand } from '../../interactions/commands.ts';
import { outcomeOf } from '../../interactions/invoke.ts';
import { deleteMessage, postUserMessage, runShortcut } from '../../interactions/messages.ts';
import { closeView, enterable, findOwnView, submitView } from '../../interactions/modals.ts';
import { openDetails, openHome } from '../../interactions/open-home.ts';
import type { InputValues, PageRequests } from '../../page/protocol.ts';
import { Refused } from '../../state/content.ts';
import type { LocalSlack } from '../local-slack.ts';

/** The page's own requests, as page/protocol.ts has them. @throws Refused with an error code, or with a sentence for the person */
type Handlers = { readonly [Name in keyof PageRequests]: (body: PageRequests[Name], slack: LocalSlack) => unknown };

/** Handlers of `POST /page/<name>`. */
const handlers: Handlers = {
  send: sendTyped,
  action: (body, slack) => performAction(withEnterable(body, slack), slack),
  suggest: (body, slack) => suggestOptions(withEnterable(body, slack), slack),
  shortcut: runShortcut,
  delete: (body, slack) =>
    refuseUnless(deleteMessage(body, slack), 'Only the author of a message and admins can delete it.'),
  details: (body, slack) => refuseUnless(openDetails(body, slack), 'This preview is no longer there.'),
  submit: (body, slack) => submitView(withEnterable(body, slack), slack),
  close: closeView,
  home: (body, slack) => refuseUnless(openHome(body, slack), 'There is no such member.'),
  workspace: (_, slack) => slack.workspaces.add(),
  organization: (_, slack) => addOrganization(slack),
  // As on Slack's page on which an organization adds an app to its workspaces.
  access: ({ team }, slack) => {
    const { organization, teamId } = slack.workspaces.find(team) ?? {};
    if (!organization || teamId === undefined) throw new Refused('There is no such workspace in an organization.');
    return slack.appEvents.changeAccess(organization, [teamId], true);
  },
  uninstall: ({ team }, slack) => {
    const workspace = slack.workspaces.find(team);
    if (!workspace) throw new Refused('There is no such workspace.');
    const { servingOrganization: organization, teamId } = workspace;
    return organization
      ? slack.appEvents.changeAccess(organization, [teamId], false)
      : slack.appEvents.uninstall(workspace);
  },
};

/** @param name of a request; undefined for an unknown one @returns the reply, with the options of a suggestion */
export function pageAction(name: string) {
  if (!Object.hasOwn(handlers, name)) return undefined;
  const handler = handlers[name as keyof PageRequests] as (body: unknown, slack: LocalSlack) => unknown;
  return async (body: JsonRecord, slack: LocalSlack): Promise<JsonRecord> => {
    const act = async () => ({ done: await handler(body, slack) });
    const outcome = await outcomeOf(act());
    if (outcome.ok) {
      const { done } = outcome;
      return { ok: true, ...(isRecord(done) && 'options' in done && { options: done['options'] }) };
    }
    const { error, errors, problems: [problem] = [] } = outcome;
    const words = name === 'submit' ? submitWords(error) : (errorWords[error]?.(slack.app.name) ?? error);
    const detail = problem ? ` ${problem.pointer} ${problem.reason}` : '';
    return { ok: false, error: words + detail, ...(errors && { errors }) };
  };
}

/** Leaves out values that the view no longer accepts. */
function withEnterable<Body extends { readonly user: string }>(body: Body, slack: LocalSlack): Body {
  if (!('view' in body && 'values' in body)) return body;
  const { view } = findOwnView(body.user, String(body.view), slack);
  return { ...body, values: enterable(view, body.values as InputValues, slack) };
}

function refuseUnless(isDone: boolean, sentence: string): void {
  if (!isDone) throw new Refused(sentence);
}

/** Refuses nothing of which Slackbot already told the person. */
async function sendTyped(typed: PageRequests['send'], slack: LocalSlack): Promise<void> {
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
