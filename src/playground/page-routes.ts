/** What the page asks: state, messages, a stream of events, and what a person typed or pressed (see page/protocol.ts). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ActionResult, workElement } from './actions.ts';
import { type CommandResult, runCommand } from './commands.ts';
import { jsonAnswer, readBody, send, textAnswer } from './http.ts';
import type { ElementAddress } from './interaction.ts';
import type { InvokeDeps } from './invoke.ts';
import { type Fields, isRecord, parseJson, textField } from './json.ts';
import type { PageCommand, PageResult, PageState, PageSuggestions } from './page/protocol.ts';
import { forPage, streamEvents } from './page-events.ts';
import { postTyped } from './post-typed.ts';
import { messageShortcuts, runShortcut, type ShortcutResult } from './shortcuts.ts';
import { type SuggestResult, suggestOptions } from './suggestions.ts';
import { visibleMessages, type Workspace } from './workspace.ts';

export type PageDeps = InvokeDeps & {
  /** The one workspace that the page shows. */
  readonly workspace: Workspace;
  readonly commands: readonly PageCommand[];
};

const bodyBytesMax = 65_536;

/** @returns whether the path is one of the page's */
export async function servePageRoute(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  deps: PageDeps,
): Promise<boolean> {
  const user = url.searchParams.get('user') ?? '';
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /page/state':
      send(response, jsonAnswer(pageState(deps)));
      return true;
    case 'GET /page/messages':
      send(
        response,
        jsonAnswer(visibleMessages(deps.workspace, url.searchParams.get('channel') ?? '', user).map(forPage)),
      );
      return true;
    case 'GET /page/events':
      streamEvents(response, user, deps);
      return true;
    case 'POST /page/send':
      await post(request, response, (fields) => sendTyped(fields, deps), deps);
      return true;
    case 'POST /page/action':
      await post(request, response, (fields) => act(fields, deps), deps);
      return true;
    case 'POST /page/shortcut':
      await post(request, response, (fields) => pickShortcut(fields, deps), deps);
      return true;
    case 'POST /page/suggest':
      await post(request, response, (fields) => suggest(fields, deps), deps);
      return true;
    default:
      return false;
  }
}

function pageState({ workspace, app, socketMode, commands }: PageDeps): PageState {
  return {
    workspace: { id: workspace.teamId, name: workspace.name },
    app: {
      name: app.name,
      botUserId: workspace.botUserId,
      slashCommand: app.slashCommand,
      isConnected: socketMode.isConnected(),
      shortcuts: messageShortcuts,
    },
    users: workspace.people,
    channels: workspace.channels
      .filter((channel) => !channel.isArchived)
      .map(({ id, name, kind, memberIds }) => ({ id, name, kind, memberIds })),
    // Picked one by one: a command brings its code along.
    commands: commands.map(({ name, usage, summary, examples }) => ({ name, usage, summary, examples })),
  };
}

/** Another site's page may send forms and plain text here, but neither JSON nor its own origin as ours. */
async function post(
  request: IncomingMessage,
  response: ServerResponse,
  run: (fields: Fields) => Promise<PageResult | PageSuggestions>,
  deps: PageDeps,
): Promise<void> {
  const { origin, 'content-type': type = '' } = request.headers;
  const isOwn = origin === undefined || origin === `http://${request.headers.host}`;
  if (!isOwn || !/^application\/json\b/i.test(type)) return send(response, textAnswer(403, 'forbidden_origin'));
  const body = await readBody(request, bodyBytesMax);
  if (!body) return send(response, textAnswer(413, 'request_too_large'));
  const fields = parseJson(body.toString('utf8'));
  if (!isRecord(fields)) return send(response, textAnswer(400, 'invalid_json'));
  const result = await run(fields);
  if (!result.ok) deps.log.info({ error: result.error }, 'The page was refused');
  send(response, jsonAnswer(result));
}

async function sendTyped(fields: Fields, deps: PageDeps): Promise<PageResult> {
  const text = textField(fields, 'text') ?? '';
  const user = textField(fields, 'user') ?? '';
  const channel = textField(fields, 'channel') ?? '';
  const threadTs = textField(fields, 'threadTs') ?? null;
  const typed = { user, channel, threadTs, text };
  if (text.startsWith('/')) return afterCommand(await runCommand(typed, deps));
  return postTyped(typed, deps) ? { ok: true } : { ok: false, error: 'Your message could not be sent.' };
}

/** What Slackbot has told the person already is no news for the page. */
function afterCommand(result: CommandResult): PageResult {
  if (result.ok || result.message) return { ok: true };
  const isOutside = result.error === 'not_in_channel';
  const error = isOutside ? 'Only members of a channel can use commands there.' : 'There is no such conversation.';
  return { ok: false, error };
}

async function act(fields: Fields, deps: PageDeps): Promise<PageResult> {
  const selected = textField(fields, 'selected') ?? null;
  const result = await workElement({ ...elementAddress(fields), selected }, deps);
  return result.ok ? { ok: true } : { ok: false, error: invocationErrors[result.error](deps.app.name) };
}

async function pickShortcut(fields: Fields, deps: PageDeps): Promise<PageResult> {
  const result = await runShortcut(
    {
      user: textField(fields, 'user') ?? '',
      channel: textField(fields, 'channel') ?? '',
      ts: textField(fields, 'ts') ?? '',
      callbackId: textField(fields, 'callbackId') ?? '',
    },
    deps,
  );
  return result.ok ? { ok: true } : { ok: false, error: invocationErrors[result.error](deps.app.name) };
}

async function suggest(fields: Fields, deps: PageDeps): Promise<PageSuggestions> {
  const result = await suggestOptions({ ...elementAddress(fields), value: textField(fields, 'value') ?? '' }, deps);
  if (result.ok) return { ok: true, groups: result.groups };
  const [problem] = result.problems ?? [];
  const detail = problem ? ` ${problem.pointer} ${problem.reason}` : '';
  return { ok: false, error: invocationErrors[result.error](deps.app.name) + detail };
}

function elementAddress(fields: Fields): ElementAddress {
  return {
    user: textField(fields, 'user') ?? '',
    channel: textField(fields, 'channel') ?? '',
    ts: textField(fields, 'ts') ?? '',
    blockId: textField(fields, 'blockId') ?? '',
    actionId: textField(fields, 'actionId') ?? '',
  };
}

type InvocationError = ((ActionResult | ShortcutResult | SuggestResult) & { ok: false })['error'];

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
