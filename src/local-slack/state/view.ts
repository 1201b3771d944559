/** A modal or a Home: its state in the local Slack, reading one from an app's request, and its form for apps. */
import type { KnownBlock, PlainTextElement } from '@slack/types';
import { limits } from '../../shared/block-kit/limits.ts';
import { type ViewSurface, validateView } from '../../shared/block-kit/validate.ts';
import { isRecord, type JsonRecord, readText } from '../../shared/json.ts';
import { interactiveElements, type State, stateValues } from '../interactions/elements.ts';
import type { InputValues } from '../page/protocol.ts';
import { asSent, Refused, withIds } from './content.ts';
import type { OfferedOptions } from './offered-options.ts';

/** The content that the app sends. */
export type ViewContent = {
  readonly type: 'modal' | 'home';
  readonly blocks: readonly KnownBlock[];
  readonly title: PlainTextElement | null;
  readonly submit: PlainTextElement | null;
  readonly close: PlainTextElement | null;
  readonly privateMetadata: string;
  readonly callbackId: string;
};

export type SlackView = ViewContent & {
  readonly id: string;
  /** The person who sees it. */
  readonly userId: string;
  /** New after each change. */
  readonly hash: string;
  /** The lowest view of the stack; its own id for a Home and a single modal. */
  readonly rootId: string;
  /** The view below. */
  readonly previousId: string | null;
  /** The values entered so far. */
  readonly entered: InputValues;
};

export function viewState(view: SlackView, offeredOptions: OfferedOptions): State {
  const { blocks, entered, id, userId } = view;
  const offered = (found: Parameters<OfferedOptions['find']>[2]) => offeredOptions.find(userId, id, found);
  return stateValues(interactiveElements(blocks), { entered, offered });
}

/** The part of a workspace that a view names. */
type ViewWorkspace = {
  readonly teamId: string;
  readonly botId: string;
  readonly servingOrganization: { readonly id: string } | null;
};

/** https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
export function viewForApps(view: SlackView, workspace: ViewWorkspace, appId: string, state: State): JsonRecord {
  return {
    id: view.id,
    team_id: workspace.teamId,
    type: view.type,
    blocks: view.blocks,
    private_metadata: view.privateMetadata,
    callback_id: view.callbackId,
    state: { values: state },
    hash: view.hash,
    ...(view.title && { title: view.title }),
    close: view.close,
    submit: view.submit,
    previous_view_id: view.previousId,
    root_view_id: view.rootId,
    app_id: appId,
    app_installed_team_id: workspace.servingOrganization?.id ?? workspace.teamId,
    bot_id: workspace.botId,
  };
}

/** @param sent an object, or its JSON as forms carry it @throws Refused */
export function readView(sent: unknown, type: ViewSurface): ViewContent {
  const view = asSent(sent);
  if (isRecord(view) && JSON.stringify(view).length > limits.view.bytesMax) throw new Refused('view_too_large');
  const problems = validateView(view, type);
  if (problems.length > 0 || !isRecord(view)) throw new Refused('invalid_arguments', problems);
  return {
    type,
    blocks: (view['blocks'] as readonly KnownBlock[]).map(withIds),
    title: plainText(view, 'title'),
    submit: plainText(view, 'submit'),
    close: plainText(view, 'close'),
    privateMetadata: readText(view, 'private_metadata') ?? '',
    callbackId: readText(view, 'callback_id') ?? '',
  };
}

function plainText(view: JsonRecord, name: string): PlainTextElement | null {
  const value = view[name];
  return isRecord(value)
    ? { type: 'plain_text', text: readText(value, 'text') ?? '', emoji: value['emoji'] !== false }
    : null;
}
