/** Random actions in many workspaces: typing, pressing, searching, submitting, opening the Home, and forged payloads. */
import * as registry from '../../src/bot/commands/registry.ts';
import { type InteractiveElement, interactiveElements } from '../../src/local-slack/interactions/elements.ts';
import type { Workspace } from '../../src/local-slack/state/workspace.ts';
import type { Random } from '../../src/query-service/sample/random.ts';
import { isRecord, type JsonRecord } from '../../src/shared/json.ts';
import { worldUuids } from '../support/service/world.ts';
import type { Installation } from './installation.ts';

type Action = 'typed' | 'pressed' | 'searched' | 'submitted' | 'opened' | 'replayed' | 'mismatched';
/** Number of each action. */
export type Actions = Readonly<Record<Action, number>>;

type Place = { readonly workspace: Workspace; readonly user: string; readonly channel: string };
type Worked = { readonly place: Place; readonly ts: string; readonly found: InteractiveElement };

const ids = Object.values(worldUuids);
const lines = Object.values(registry).flatMap(({ name, examples }) => [
  ...examples,
  ...ids.map((id) => `${name} ${id}`),
]);

/** Called before each action. @param done number of all actions begun @param counts of the finished ones, by kind */
export type IsOver = (done: number, counts: Actions) => boolean;

/** Eight people act concurrently. */
export async function actAtRandom(on: Installation, random: Random, isOver: IsOver): Promise<Actions> {
  const counts = { typed: 0, pressed: 0, searched: 0, submitted: 0, opened: 0, replayed: 0, mismatched: 0 };
  const act = createActing(on, random);
  let done = 0;
  const person = async () => {
    while (!isOver(done, counts)) {
      done += 1;
      counts[await act()] += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, person));
  return counts;
}

function createActing(on: Installation, random: Random): () => Promise<Action> {
  const wrongKey = on.newSecret();
  const somewhere = (): Place => {
    const workspace = oneOf(random, on.workspaces) ?? on.slack.workspace;
    const person = oneOf(
      random,
      workspace.people.filter(({ isBot }) => !isBot),
    );
    return { workspace, user: person?.id ?? '', channel: workspace.channels[0]?.id ?? '' };
  };
  const forging = createForging(on, random, somewhere);
  return async () => {
    const place = somewhere();
    const worked = oneOf(random, worksAt(place));
    const dice = random.between(0, 10);
    if (dice === 0) return submit(on, place.user, { wrongKey, elsewhere: somewhere().channel });
    if (dice === 1) return forging.mismatch(place);
    if (dice === 2) return on.slack.openHome({ user: place.user }) ? 'opened' : 'typed';
    if (worked === undefined || dice < 6) return type(on, place, oneOf(random, lines));
    return dice < 8 ? forging.replay(worked) : work(on, worked, random);
  };
}

async function type({ slack }: Installation, { user, channel }: Place, line = 'list'): Promise<Action> {
  await slack.command({ user, channel, text: `/workflow ${line}` });
  return 'typed';
}

async function work({ slack }: Installation, { place, ts, found }: Worked, random: Random): Promise<Action> {
  const { user, channel } = place;
  const at = { user, channel, ts, actionId: String(found.element['action_id']), blockId: found.blockId };
  if (found.element['type'] !== 'external_select') {
    const selected = oneOf(random, optionsOf(found.element));
    await slack.press({ ...at, ...(selected !== undefined && { selected }) });
    return 'pressed';
  }
  const offered = await slack.suggest({ ...at, value: random.pick(['pay', 'payments', 'mk1x', 'zzz']) });
  const [option] = offered.ok ? offered.options : [];
  if (option?.value !== undefined) await slack.press({ ...at, selected: option.value });
  return 'searched';
}

type Entered = { readonly wrongKey: string; readonly elsewhere: string };

/** Submits the top view, with an unknown key and the `private_metadata` of another workspace. */
async function submit({ slack }: Installation, user: string, { wrongKey, elsewhere }: Entered): Promise<Action> {
  const view = slack.modals(user).at(-1);
  if (view?.submit == null || view.callbackId === 'cmd:disconnect') {
    if (view) slack.closeView({ user, view: view.id });
    const channel =
      slack.workspaces().find(({ people }) => people.some(({ id }) => id === user))?.channels[0]?.id ?? '';
    await slack.command({ user, channel, text: '/workflow connect' });
    return 'typed';
  }
  slack.tamper((payload) =>
    isRecord(payload['view']) ? { ...payload, view: { ...payload['view'], private_metadata: elsewhere } } : payload,
  );
  const keys = interactiveElements(view.blocks).filter(({ blockId }) => blockId === 'key');
  const values = keys.map(({ blockId, element }) => [blockId, { [String(element['action_id'])]: wrongKey }]);
  await slack.submit({ user, view: view.id, values: Object.fromEntries(values) });
  return 'submitted';
}

/** Forged payloads with a valid signature. */
function createForging(on: Installation, random: Random, somewhere: () => Place) {
  /** Changes the next payload. */
  const forge = async (place: Place, change: (payload: JsonRecord) => JsonRecord) => {
    on.slack.tamper(change);
    await type(on, place, oneOf(random, lines));
  };
  return {
    /** A button of one workspace, pressed in another. */
    replay: async ({ found: { blockId, element } }: Worked): Promise<Action> => {
      const { action_id, type: kind, value } = element;
      const option = oneOf(random, optionsOf(element));
      const selected = option === undefined ? {} : { selected_option: { value: option } };
      const action = { action_id, type: kind, block_id: blockId, action_ts: random.hex(8), value, ...selected };
      await forge(somewhere(), (payload) => ({ payload: JSON.stringify(pressed(payload, action)) }));
      return 'replayed';
    },
    mismatch: async (place: Place): Promise<Action> => {
      const { user, channel, workspace } = somewhere();
      const change = random.pick<JsonRecord>([
        { api_app_id: 'A0OTHERAPP' },
        { user_id: user },
        { channel_id: channel },
        { user_id: user, channel_id: channel },
        // The answer can only be in the acknowledgement: the address belongs to another workspace.
        { team_id: workspace.teamId, response_url: '' },
      ]);
      await forge(place, (payload) => ({ ...payload, ...change }));
      return 'mismatched';
    },
  };
}

/** Buttons that this person can press in the newest messages. */
function worksAt(place: Place): readonly Worked[] {
  const { workspace, channel, user } = place;
  const seen = workspace.history.list(channel).filter(({ viewer }) => viewer === null || viewer === user);
  return seen.slice(-3).flatMap(({ ts, blocks }) => interactiveElements(blocks).map((found) => ({ place, ts, found })));
}

function optionsOf({ options }: JsonRecord): readonly string[] {
  return Array.isArray(options) ? options.filter(isRecord).map(({ value }) => String(value)) : [];
}

/** As the person who typed the command, in the same channel. */
function pressed(payload: JsonRecord, action: JsonRecord): JsonRecord {
  const { team_id, user_id, channel_id, response_url, trigger_id, api_app_id } = payload;
  return {
    ...{ type: 'block_actions', response_url, trigger_id, api_app_id, actions: [action] },
    team: { id: team_id },
    user: { id: user_id, team_id },
    channel: { id: channel_id },
    container: { type: 'message', message_ts: '1.1', channel_id, is_ephemeral: true },
  };
}

function oneOf<Item>(random: Random, items: readonly Item[]): Item | undefined {
  return items[random.between(0, Math.max(0, items.length - 1))];
}
