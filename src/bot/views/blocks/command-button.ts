/** Buttons that run a command line, and the rows of them under an answer: refresh and share, other pages, related commands, links. */
import type { ActionsBlock, Button, ExternalSelect, KnownBlock, PlainTextOption, StaticSelect } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { outsideLine } from '../format/outside-text.ts';
import { actions } from './blocks.ts';

/**
 * What happens to the answer: `open` shows it as a new message, `replace` puts it where the pressed message is,
 * `refresh` does so with an answer asked anew, `share` posts it in the channel.
 */
export const commandModes = ['open', 'replace', 'refresh', 'share'] as const;
export type CommandMode = (typeof commandModes)[number];

const actionIdPrefix = 'cmd:';
type CommandButton = {
  readonly label: string;
  /** The command line without the slash command. */
  readonly line: string;
  readonly mode: CommandMode;
  readonly style?: Button['style'];
  /** Said by screen readers where the label alone is terse. */
  readonly accessibilityLabel?: string;
};

/** @throws Error when the line is longer than Slack carries: a cut command would be another command */
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

/** A menu whose chosen option is run. @throws Error when a line is longer than Slack carries */
export function commandSelect({ placeholder, mode, options }: CommandSelect): StaticSelect {
  return {
    type: 'static_select',
    action_id: actionId(mode, 'select'),
    placeholder: { type: 'plain_text', text: placeholder, emoji: false },
    options: options.map(commandOption),
  };
}

/** One choice of a menu. @throws Error when the line is longer than Slack carries */
export function commandOption({ label, line }: CommandOption): PlainTextOption {
  return {
    text: { type: 'plain_text', text: outsideLine(label, limits.option.textUnitsMax), emoji: false },
    value: whole(line, limits.option.safeValueUnitsMax),
  };
}

/** Whether a menu can carry the line; a button carries longer ones. */
export function fitsMenu({ line }: Pick<CommandOption, 'line'>): boolean {
  return line.length <= limits.option.safeValueUnitsMax;
}

type CommandSearch = {
  readonly placeholder: string;
  readonly mode: CommandMode;
  /** The command line for one workflow. */
  readonly lineFor: (uuid: string) => string;
};

/** The nil uuid of RFC 9562, which no workflow has: holds the place of the one that will be chosen. */
const anyUuid = '00000000-0000-0000-0000-000000000000';
const searchMark = 'search:';

/**
 * A menu that finds workflows by name while a person types, and runs the line for the chosen one. Its action id carries
 * the line, so the listener that fills it needs nothing else. @returns none where the line is too long for a menu
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

/** @returns the command line for a workflow chosen in the menu with this action id; undefined for what is no such menu */
export function parseSearchActionId(id: string): ((uuid: string) => string) | undefined {
  const mode = parseCommandActionId(id);
  const start = mode && actionId(mode, searchMark);
  if (start === undefined || !id.startsWith(start)) return undefined;
  return (uuid) => id.slice(start.length).replaceAll(anyUuid, () => uuid);
}

/** @returns the mode of an action id made here; undefined for any other */
export function parseCommandActionId(id: string): CommandMode | undefined {
  if (!id.startsWith(actionIdPrefix)) return undefined;
  const name = id.slice(actionIdPrefix.length).split(':')[0];
  return commandModes.find((mode) => mode === name);
}

/** Whether a message can be put before the channel. */
export function isShareable(blocks: readonly KnownBlock[]): boolean {
  const isShare = (id: string | undefined) => parseCommandActionId(id ?? '') === 'share';
  return blocks.some((block) => block.type === 'actions' && block.elements.some(({ action_id: id }) => isShare(id)));
}

/** Every button's action id begins like this. */
export const commandActionPattern = new RegExp(`^${actionIdPrefix}`);

/** Unique within a block as long as no block repeats a line in one mode; Slack allows 255 characters. */
function actionId(mode: CommandMode, line: string): string {
  return `${actionIdPrefix}${mode}:${line}`.slice(0, limits.id.unitsMax);
}

function whole(line: string, max: number): string {
  if (line.length > max) throw new Error(`A command line of ${line.length} characters does not fit in ${max}.`);
  return line;
}

/** @param line the command line that gives this answer again @param others buttons before the two */
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
  /** Beyond the end of the list there is nothing to go back to but the first page. */
  readonly isEmpty: boolean;
  /** The command line for a page, with every filter kept. */
  readonly lineFor: (page: number) => string;
};

export function pageActions({ page, hasMore, isEmpty, lineFor }: Pages): readonly Button[] {
  const previous = isEmpty ? 1 : page - 1;
  return [
    ...(page > 1 ? [commandButton({ label: `◀ Page ${previous}`, line: lineFor(previous), mode: 'replace' })] : []),
    ...(hasMore ? [commandButton({ label: `Page ${page + 1} ▶`, line: lineFor(page + 1), mode: 'replace' })] : []),
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

type Subject = {
  /** Null means all workflows, of which there is no status, history or file. */
  readonly workflow: { readonly uuid: string | null };
  readonly window: { readonly label: string };
};

/**
 * @param words the commands to lead to, in the order of the buttons; the window goes with them
 * @param first a button before them
 * @returns a row of its own, or nothing where there is no way
 */
export function relatedCommands(
  { workflow: { uuid }, window }: Subject,
  words: readonly (keyof typeof related)[],
  first: readonly Button[] = [],
): readonly ActionsBlock[] {
  const open = words.filter((word) => uuid !== null || ofAll.has(word));
  const buttons = open.map((word) => {
    const { label, takesWindow } = related[word];
    return commandButton({
      label,
      line: [word, uuid, takesWindow && window.label].filter(Boolean).join(' '),
      mode: 'open',
    });
  });
  return first.length + buttons.length === 0 ? [] : [actions([...first, ...buttons])];
}

const ofAll: ReadonlySet<string> = new Set(['failures', 'executions', 'activity']);

/** @param url http or https @returns none where there is no address, or it is longer than Slack carries */
export function linkButton(label: string, url: string | undefined): readonly Button[] {
  if (url === undefined || url.length > limits.button.urlUnitsMax) return [];
  const text = outsideLine(label, limits.button.textUnitsMax);
  return [{ type: 'button', action_id: `link:${text}`, text: { type: 'plain_text', text, emoji: false }, url }];
}

/** Opens the form in which an admin gives a key. */
export function connectButton() {
  return commandButton({ label: 'Connect', line: 'connect', mode: 'open', style: 'primary' });
}
