/** Buttons that explain one execution: in a thread that everybody in the conversation sees, or in the person's direct messages. */
import type { ActionsBlock, Button } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { commandButton } from '../blocks/command-button.ts';
import { type Markup, markup } from '../format/mrkdwn.ts';
import { outsideLine } from '../format/outside-text.ts';

type Investigated = {
  readonly uuid: string;
  /** For screen readers, such as a cause or `the last failure`. */
  readonly subject: string;
  readonly isPrimary: boolean;
};

const label = 'Investigate (posts here)';
const labelElsewhere = 'Investigate (in direct messages)';
const privateLabel = 'Investigate privately';
/** Limit of a menu of executions. */
export const investigatePlaceholder = `${label}…`;

export function investigateButtons({ uuid, subject, isPrimary }: Investigated): readonly Button[] {
  const line = `execution ${uuid}`;
  return [
    commandButton({
      ...{ label, line, mode: 'open', accessibilityLabel: `${label}: ${subject}` },
      ...(isPrimary && { style: 'primary' }),
    }),
    commandButton({
      ...{ label: privateLabel, line: `${line} --private`, mode: 'open' },
      accessibilityLabel: `${privateLabel}, in your direct messages: ${subject}`,
    }),
  ];
}

type Element = ActionsBlock['elements'][number];

/** @returns the element for a conversation that takes no thread; none if another one leads to the same direct messages */
export function investigatedElsewhere(element: Element): readonly Element[] {
  if (element.type === 'static_select' && element.placeholder?.text === investigatePlaceholder) {
    return [{ ...element, placeholder: { ...element.placeholder, text: `${labelElsewhere}…` } }];
  }
  if (element.type !== 'button') return [element];
  const { text, accessibility_label: spoken = '' } = element;
  switch (text.text) {
    case label: {
      const changed = outsideLine(spoken.replace(label, labelElsewhere), limits.button.labelUnitsMax);
      return [{ ...element, text: { ...text, text: labelElsewhere }, accessibility_label: changed }];
    }
    case privateLabel:
      return [];
    default:
      return [element];
  }
}

/** For a menu, which has no room for a private form of each execution. */
export function investigateNote(slashCommand: string): Markup {
  return markup`For a private thread, type ${slashCommand} execution ${'<id or workflow>'} --private.`;
}
