/** Modals and Home tabs: opened by a trigger, stacked up to three, changed with a hash. */
import { isRecord, type JsonRecord, readRecord } from '../../../src/shared/json.ts';
import { viewProblems } from './contract/block-rules.ts';
import { refuseProblems, SlackError } from './refusals.ts';
import { app, isPerson, named, type SlackView, team, type Workspace } from './workspace.ts';

const stackMax = 3;
const viewBytesMax = 250_000;

/** @throws SlackError as https://docs.slack.dev/reference/methods/views.open documents it */
function checkView(view: unknown): JsonRecord {
  if (JSON.stringify(view).length > viewBytesMax) throw new SlackError('view_too_large');
  refuseProblems('invalid_arguments', viewProblems(view));
  return readRecord(view);
}

/** @returns the view as Slack's payloads and answers have it: https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
export function viewObject({ id, view, hash, rootId, previousId }: SlackView, values: JsonRecord = {}): JsonRecord {
  return {
    ...{ private_metadata: '', callback_id: '', external_id: '', clear_on_close: false, notify_on_close: false },
    ...{ close: null, submit: null, ...view },
    ...{ id, team_id: team.id, state: { values }, hash, previous_view_id: previousId, root_view_id: rootId },
    ...{ app_id: app.id, app_installed_team_id: team.id, bot_id: app.botId },
  };
}

function newHash(slack: Workspace): string {
  return `${Math.floor(Date.now() / 1000)}.h${slack.next()}`;
}

function withNames(view: JsonRecord, slack: Workspace): JsonRecord {
  return { ...view, blocks: named(view['blocks'], slack) };
}

function addView(slack: Workspace, user: string, view: JsonRecord, over?: SlackView): SlackView {
  const id = `V${slack.next()}`;
  const [rootId, previousId] = [over?.rootId ?? id, over?.id ?? null];
  const added = {
    id,
    user,
    view: withNames(view, slack),
    hash: newHash(slack),
    rootId,
    previousId,
    isOpen: true,
    errors: {},
  };
  slack.views.push(added);
  slack.show({ view: added });
  return added;
}

function replaceView(slack: Workspace, shown: SlackView, view: JsonRecord): void {
  shown.view = withNames(view, slack);
  shown.hash = newHash(slack);
  shown.errors = {};
  slack.show({ view: shown });
}

/** @throws SlackError if three are open already */
function pushView(slack: Workspace, over: SlackView, view: JsonRecord): void {
  const open = slack.views.filter(({ rootId, isOpen }) => rootId === over.rootId && isOpen);
  if (open.length >= stackMax) throw new SlackError('push_limit_reached');
  addView(slack, over.user, view, over);
}

export function openView(args: JsonRecord, slack: Workspace): JsonRecord {
  const view = checkView(args['view']);
  if (view['type'] !== 'modal') throw new SlackError('invalid_arguments');
  const trigger = slack.useTrigger(String(args['trigger_id']));
  if (typeof trigger === 'string') throw new SlackError(trigger);
  return { view: viewObject(addView(slack, trigger.user, view)) };
}

export function updateView(args: JsonRecord, slack: Workspace): JsonRecord {
  const view = checkView(args['view']);
  const shown = slack.views.find(({ id, isOpen }) => id === args['view_id'] && isOpen);
  if (!shown) throw new SlackError('not_found');
  if (args['hash'] !== undefined && args['hash'] !== shown.hash) throw new SlackError('hash_conflict');
  replaceView(slack, shown, view);
  return { view: viewObject(shown) };
}

export function publishView(args: JsonRecord, slack: Workspace): JsonRecord {
  const view = checkView(args['view']);
  if (view['type'] !== 'home') throw new SlackError('invalid_arguments');
  const user = String(args['user_id']);
  if (!isPerson(user)) throw new SlackError('user_not_found');
  const shown = slack.views.find((each) => each.user === user && each.view['type'] === 'home');
  if (shown && args['hash'] !== undefined && args['hash'] !== shown.hash) throw new SlackError('hash_conflict');
  if (shown) replaceView(slack, shown, view);
  return { view: viewObject(shown ?? addView(slack, user, view)) };
}

/**
 * https://docs.slack.dev/surfaces/modals#handling_submissions: what the app may answer to a submission within three
 * seconds.
 * @throws SlackError if the answer is none of these
 */
export function answerSubmission(slack: Workspace, submitted: SlackView, answer: unknown): void {
  const { response_action: action, view, errors, ...rest } = readRecord(answer);
  if (Object.keys(rest).length > 0) throw new SlackError('unknown_response_fields', { rest });
  switch (action) {
    case undefined:
      submitted.isOpen = false;
      break;
    case 'clear':
      for (const each of slack.views) if (each.rootId === submitted.rootId) each.isOpen = false;
      break;
    case 'errors':
      checkErrors(submitted, errors);
      submitted.errors = readRecord(errors);
      slack.show({ view: submitted });
      break;
    case 'update':
      replaceView(slack, submitted, checkView(view));
      break;
    case 'push':
      pushView(slack, submitted, checkView(view));
      break;
    default:
      throw new SlackError('unknown_response_action', { action });
  }
  slack.changed();
}

/** Slack shows each error beside the input block with that id, and drops all of them if one has no block. */
function checkErrors({ view }: SlackView, errors: unknown): void {
  const blocks = Array.isArray(view['blocks']) ? view['blocks'].map(readRecord) : [];
  const inputs = blocks.filter(({ type }) => type === 'input').map(({ block_id: id }) => id);
  const isFine =
    isRecord(errors) && Object.entries(errors).every(([id, text]) => inputs.includes(id) && typeof text === 'string');
  if (!isFine) throw new SlackError('invalid_errors', { errors });
}
