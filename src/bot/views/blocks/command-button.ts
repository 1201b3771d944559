/** Buttons that run a command line, and the rows of them under an answer: refresh and share, other pages, related commands, links. */
import type { ActionsBlock, Button, ExternalSelect, PlainTextOption, StaticSelect } from '@slack/types';
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { limits } from '../../../shared/block-kit/limits.ts';
import { outsideLine } from '../format/outside-text.ts';
import { actions } from './blocks.ts';

/**
 * Effect of the answer: `open` shows it as a new message, `replace` replaces the pressed message,
 * `refresh` replaces it with a fresh answer, `share` posts it in the channel.
 */
const commandModes = ['open', 'replace', 'refresh', 'share'] as const;
export type CommandMode = (typeof commandModes)[number];

const actionIdPrefix = 'cmd:';
type CommandButton = {
  readonly label: string;
  /** The command line without the slash command. */
  readonly line: string;
  readonly mode: CommandMode;
  readonly style?: Button['style'];
  /** For screen readers, if the label alone is terse. */
  readonly accessibilityLabel?: string;
};

/** @throws Error if the line is longer than Slack accepts: a truncated command would be another command */
export function commandButton({ label, line, mode, style, accessibilityLabel }: CommandButton): Button {
  return {
    type: 'button',
    action_id: actionId(mode, line),
    text: { type: 'plain_text', text: outsideLine(label, limits.button.textUnitsMax), emoji: false },
    value: whole(line, limits.button.valueUnitsMax),
    ...(style && { style }),
    ...(accessibilityLabel && { accessibility_label: outsideLine(accessibilityLabel, limits.button.labelUnitsMax) }),
  };
}

export type CommandOption = { readonly label: string; readonly line: string };

type CommandSelect = {
  readonly placeholder: string;
  readonly mode: CommandMode;
  /** From 1 to 100. */
  readonly options: readonly CommandOption[];
};

/** A menu that runs the chosen option. @throws Error if a line is longer than Slack accepts */
export function commandSelect({ placeholder, mode, options }: CommandSelect): StaticSelect {
  return {
    type: 'static_select',
    action_id: actionId(mode, 'select'),
    placeholder: { type: 'plain_text', text: placeholder, emoji: false },
    options: options.map(commandOption),
  };
}

/** One choice of a menu. @throws Error if the line is longer than Slack accepts */
export function commandOption({ label, line }: CommandOption): PlainTextOption {
  return {
    text: { type: 'plain_text', text: outsideLine(label, limits.option.textUnitsMax), emoji: false },
    value: whole(line, limits.option.safeValueUnitsMax),
  };
}

/** Returns true if a menu accepts the line; a button accepts longer ones. */
export function fitsMenu({ line }: Pick<CommandOption, 'line'>): boolean {
  return line.length <= limits.option.safeValueUnitsMax;
}

type CommandSearch = {
  readonly placeholder: string;
  readonly mode: CommandMode;
  /** The command line for one workflow. */
  readonly lineFor: (uuid: string) => string;
};

/** The nil uuid of RFC 9562, which no workflow has: placeholder for the chosen one. */
const anyUuid = '00000000-0000-0000-0000-000000000000';
const searchMark = 'search:';

/**
 * A menu that finds workflows by name while a person types, and runs the line for the chosen one. Its action id carries
 * the line, so the listener that fills it needs nothing else. @returns none if the line is too long for a menu
 */
export function commandSearch({ placeholder, mode, lineFor }: CommandSearch): readonly ExternalSelect[] {
  const line = lineFor(anyUuid);
  if (!fitsMenu({ line })) return [];
  return [
    {
      type: 'external_select',
      action_id: actionId(mode, searchMark + line),
      placeholder: { type: 'plain_text', text: placeholder, emoji: false },
      min_query_length: 0,
    },
  ];
}

/** @returns the command line for a workflow chosen in the menu with this action id; undefined for another action id */
export function parseSearchActionId(id: string): ((uuid: string) => string) | undefined {
  const mode = parseCommandActionId(id);
  const start = mode && actionId(mode, searchMark);
  if (start === undefined || !id.startsWith(start)) return undefined;
  return (uuid) => id.slice(start.length).replaceAll(anyUuid, () => uuid);
}

/** @returns the mode of a command button's action id; undefined for another */
export function parseCommandActionId(id: string): CommandMode | undefined {
  if (!id.startsWith(actionIdPrefix)) return undefined;
  const name = id.slice(actionIdPrefix.length).split(':')[0];
  return commandModes.find((mode) => mode === name);
}

/** Returns true if a message has a Share button. */
export function isShareable(blocks: readonly MessageBlock[]): boolean {
  const isShare = (id: string | undefined) => parseCommandActionId(id ?? '') === 'share';
  return blocks.some((block) => block.type === 'actions' && block.elements.some(({ action_id: id }) => isShare(id)));
}

/** @returns the command line of the Refresh button: the one that gave the answer; undefined without the button */
export function refreshLine(blocks: readonly MessageBlock[]): string | undefined {
  for (const block of blocks) {
    if (block.type !== 'actions') continue;
    const refresh = block.elements.find(({ action_id: id }) => parseCommandActionId(id ?? '') === 'refresh');
    if (refresh?.type === 'button') return refresh.value;
  }
  return undefined;
}

/** Prefix of every button's action id. */
export const commandActionPattern = new RegExp(`^${actionIdPrefix}`);

/** Unique within a block as long as no block repeats a line in one mode; Slack allows 255 characters. */
function actionId(mode: CommandMode, line: string): string {
  return `${actionIdPrefix}${mode}:${line}`.slice(0, limits.id.unitsMax);
}

function whole(line: string, max: number): string {
  if (line.length > max) throw new Error(`A command line of ${line.length} characters does not fit in ${max}.`);
  return line;
}

/** @param line the command line of this answer @param others buttons before the two */
export function answerActions(line: string, others: readonly ActionsBlock['elements'][number][] = []): ActionsBlock {
  return actions([
    ...others,
    commandButton({
      label: 'Refresh',
      line,
      mode: 'refresh',
      accessibilityLabel: 'Refresh: ask the query service again',
    }),
    commandButton({ label: 'Share in channel', line, mode: 'share' }),
  ]);
}

type Pages = {
  /** From 1. */
  readonly page: number;
  readonly hasMore: boolean;
  /** Beyond the end of the list; then the previous page is the first. */
  readonly isEmpty: boolean;
  /** The command line for a page, with all filters. */
  readonly lineFor: (page: number) => string;
};

export function pageActions({ page, hasMore, isEmpty, lineFor }: Pages): readonly Button[] {
  const previous = isEmpty ? 1 : page - 1;
  return [
    ...(page > 1 ? [commandButton({ label: `◀ Page ${previous}`, line: lineFor(previous), mode: 'replace' })] : []),
    ...(hasMore ? [commandButton({ label: `Page ${page + 1} ▶`, line: lineFor(page + 1), mode: 'replace' })] : []),
  ];
}

type CursorPages = {
  /** The command without its cursor: the newest page. */
  readonly line: string;
  readonly isNewest: boolean;
  /** Cursor of the older page; undefined if there is none. */
  readonly before: string | number | undefined;
};

export function cursorActions({ line, isNewest, before }: CursorPages): readonly Button[] {
  const older = `${line} --before ${before}`;
  return [
    ...(isNewest ? [] : [commandButton({ label: '◀ Newest', line, mode: 'replace' })]),
    ...(before === undefined ? [] : [commandButton({ label: 'Older ▶', line: older, mode: 'replace' })]),
  ];
}

const related = {
  status: { label: 'Workflow status', takesWindow: true },
  failures: { label: 'All failures', takesWindow: true },
  executions: { label: 'Runs', takesWindow: true },
  deployments: { label: 'Deployments', takesWindow: false },
  activity: { label: 'Activity', takesWindow: true },
  export: { label: 'Export', takesWindow: true },
} as const;

export type RelatedCommand = keyof typeof related;

type Subject = {
  /** Null means all workflows, which have no status, history or file. */
  readonly workflow: { readonly uuid: string } | null;
  readonly window: { readonly label: string };
};

/**
 * @param words the related commands, in the order of the buttons; they get the same window
 * @param first a button before them
 * @returns one row of buttons; none if there is no button
 */
export function relatedCommands(
  { workflow, window }: Subject,
  words: readonly RelatedCommand[],
  first: readonly Button[] = [],
): readonly ActionsBlock[] {
  const open = words.filter((word) => workflow !== null || ofAll.has(word));
  const buttons = open.map((word) => {
    const { label, takesWindow } = related[word];
    return commandButton({
      label,
      line: [word, workflow?.uuid, takesWindow && window.label].filter(Boolean).join(' '),
      mode: 'open',
    });
  });
  return first.length + buttons.length === 0 ? [] : [actions([...first, ...buttons])];
}

const ofAll: ReadonlySet<string> = new Set(['failures', 'executions', 'activity']);

/** @param url http or https @returns none without an address, or if it is longer than Slack accepts */
export function linkButton(label: string, url: string | undefined): readonly Button[] {
  if (url === undefined || url.length > limits.button.urlUnitsMax) return [];
  const text = outsideLine(label, limits.button.textUnitsMax);
  return [{ type: 'button', action_id: `link:${text}`, text: { type: 'plain_text', text, emoji: false }, url }];
}

/** Opens the form in which an admin enters a key. */
export function connectButton() {
  return commandButton({ label: 'Connect', line: 'connect', mode: 'open', style: 'primary' });
}
