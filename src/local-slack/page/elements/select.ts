/** Select menus for one or several choices: static options, people, conversations, or options from the app. */
import type { ConversationsSelect, PlainTextElement, PlainTextOption } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { currentValues, type ElementProps, isOption } from '../blocks/scope.ts';
import { channelTitle, displayName, type Viewer } from '../model/viewer.ts';
import { drawPlain } from '../text/mrkdwn.ts';
import { Popup } from './popup.ts';

/** A select of any kind, with the fields of all of them. */
type Select = {
  readonly type: string;
  readonly action_id?: string;
  readonly placeholder?: PlainTextElement;
  readonly max_selected_items?: number;
  readonly min_query_length?: number;
  readonly options?: readonly PlainTextOption[];
  readonly filter?: ConversationsSelect['filter'];
};

/** The browser lists options that are known; a popup searches those of the app. Several choices are above the menu. */
export function SelectElement(props: ElementProps<Select>): VNode {
  const { element, blockId, scope, frame } = props;
  const { viewer } = scope;
  const actionId = element.action_id ?? '';
  const isMany = element.type.startsWith('multi_');
  const isExternal = element.type.endsWith('external_select');
  const known = isExternal ? [] : knownOptions(element, viewer);
  const named = (value: unknown) => known.find((option) => option.value === value);
  const [chosen, setChosen] = useState<readonly PlainTextOption[]>(() =>
    currentValues(element, blockId, scope).flatMap((value) => (isOption(value) ? value : (named(value) ?? []))),
  );
  const change = (next: readonly PlainTextOption[]) => {
    const values = next.flatMap(({ value }) => value ?? []);
    setChosen(next);
    scope.press({ blockId, actionId, selected: isMany ? values : (values[0] ?? null) });
  };
  const isOffered = ({ value }: PlainTextOption) => !isMany || chosen.every((option) => option.value !== value);
  const isFull = chosen.length >= (element.max_selected_items ?? Number.POSITIVE_INFINITY);
  const name = element.placeholder?.text ?? (isMany ? 'Choose options' : 'Choose an option');
  const menu: MenuProps = {
    ...{ name, viewer, isOffered },
    placeholder: { type: 'plain_text', text: isFull ? `No more than ${chosen.length}` : name },
    selected: isMany ? undefined : chosen[0],
    attributes: { disabled: isFull, ...frame },
    choose: (option) => change(isMany ? [...chosen, option] : [option]),
  };
  return html`<span class=${`element${isMany ? ' column' : ''}${scope.isPending(blockId, actionId) ? ' is-pending' : ''}`}>
    ${isMany && drawChosen(chosen, viewer, (option) => change(chosen.filter((each) => each !== option)))}
    ${isExternal ? drawSearched(menu, props) : drawListed(menu, known)}
  </span>`;
}

type MenuProps = {
  readonly name: string;
  readonly placeholder: PlainTextElement;
  readonly selected: PlainTextOption | undefined;
  readonly isOffered: (option: PlainTextOption) => boolean;
  readonly choose: (option: PlainTextOption) => void;
  readonly attributes: object;
  readonly viewer: Viewer;
};

function drawListed(
  { name, placeholder, selected, isOffered, choose, attributes, viewer }: MenuProps,
  options: readonly PlainTextOption[],
): VNode {
  const onChange = ({ currentTarget }: Event) => {
    const { value } = currentTarget as HTMLSelectElement;
    for (const option of options.filter((each) => each.value === value).slice(0, 1)) choose(option);
  };
  return html`<select class="button select" aria-label=${name} value=${selected?.value ?? ''} onChange=${onChange} ...${attributes}>
    <option value="" hidden>${drawPlain(placeholder, viewer)}</option>
    ${options.filter(isOffered).map((option) => html`<option value=${option.value}>${drawOption(option, viewer)}</option>`)}
  </select>`;
}

function drawOption({ text, description }: PlainTextOption, viewer: Viewer) {
  return [drawPlain(text, viewer), description && html` <span class="small">${drawPlain(description, viewer)}</span>`];
}

/** A screen reader reads the choice after the label. */
function drawSearched(menu: MenuProps, { element, blockId, scope, frame }: ElementProps<Select>): VNode {
  const { name, placeholder, selected, attributes, viewer } = menu;
  const draw = (close: () => void) => {
    const choose = (option: PlainTextOption) => {
      close();
      menu.choose(option);
    };
    return html`<${Search} ...${{ element, blockId, scope, menu: { ...menu, choose } }} />`;
  };
  const labelled = frame && { 'aria-labelledby': `${frame['aria-labelledby']} ${frame.id}` };
  return html`<${Popup} name=${name} className="button select" attributes=${{ ...attributes, ...labelled }} draw=${draw}>
    <span class=${`button-label${selected ? '' : ' soft'}`}>${drawPlain(selected?.text ?? placeholder, viewer)}</span>
    <span class="chevron" aria-hidden="true"></span>
  <//>`;
}

function drawChosen(chosen: readonly PlainTextOption[], viewer: Viewer, remove: MenuProps['choose']): VNode {
  return html`<ul class="wrap">
    ${chosen.map(
      (option) => html`<li key=${option.value} class="row">
        <span class="ellipsis">${drawPlain(option.text, viewer)}</span>
        <button type="button" class="chip-remove" aria-label=${`Remove ${option.text.text}`} onClick=${() => remove(option)}>×</button>
      </li>`,
    )}
  </ul>`;
}

/** @returns all options that can be chosen */
function knownOptions({ type, options = [], filter }: Select, viewer: Viewer): readonly PlainTextOption[] {
  if (type.endsWith('static_select')) return options;
  if (type.endsWith('conversations_select')) return conversationOptions(filter, viewer);
  return [...viewer.users.keys()].map((id) => toOption(displayName(viewer, id), id));
}

const kindNames = { public: 'public', private: 'private', dm: 'im' } as const;

/** Without a filter, a person can choose every conversation that they see. */
function conversationOptions(filter: Select['filter'], viewer: Viewer) {
  return [...viewer.channels.values()]
    .filter(({ kind, isArchived }) => !isArchived && (filter?.include?.includes(kindNames[kind]) ?? true))
    .map((channel) => toOption(`${channel.kind === 'dm' ? '' : '#'}${channelTitle(channel, viewer)}`, channel.id));
}

/** The name of a person or a channel has no emoji codes. */
function toOption(name: string, value: string): PlainTextOption {
  return { text: { type: 'plain_text', text: name, emoji: false }, value };
}

/** Delay from the last key to the request. */
const pauseMs = 250;

type SearchProps = ElementProps<Select> & { readonly menu: MenuProps };
type Found = { readonly options: readonly PlainTextOption[]; readonly note?: string };

/** Debounced search; ignores all but the latest reply. Enter takes the first option. */
function Search({ element, blockId, scope, menu: { name, choose, isOffered } }: SearchProps): VNode {
  const [{ options, note = 'No results' }, setFound] = useState<Found>({ options: [] });
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Slack's default.
  const lengthMin = element.min_query_length ?? 3;
  const search = (typed: string) => {
    clearTimeout(timer.current);
    if (typed.length < lengthMin) {
      const characters = lengthMin === 1 ? 'character' : 'characters';
      setFound({ options: [], note: `Type ${lengthMin} ${characters} or more to search` });
      return;
    }
    setFound({ options: [], note: 'Loading…' });
    const run = async () => {
      const answer = await scope.suggest({ blockId, actionId: element.action_id ?? '', value: typed });
      if (input.current?.value === typed) setFound(answer.ok ? answer : { options: [], note: answer.error });
    };
    timer.current = setTimeout(() => void run(), typed === '' ? 0 : pauseMs);
  };
  useEffect(() => {
    input.current?.focus();
    search('');
    return () => clearTimeout(timer.current);
  }, []);
  const offered = options.filter(isOffered);
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    for (const option of offered.slice(0, 1)) choose(option);
  };
  return html`<input ref=${input} class="popup-search" type="text" placeholder="Search" autocomplete="off" aria-label=${`Search: ${name}`} onKeyDown=${press} onInput=${({ currentTarget }: Event) => search((currentTarget as HTMLInputElement).value)} />
    ${offered.length === 0 && html`<div class="popup-item soft" role="status">${note}</div>`}
    ${offered.map((option) => html`<button type="button" class="popup-item" onClick=${() => choose(option)}>${drawOption(option, scope.viewer)}</button>`)}`;
}
