/** Buttons that explain one execution: in a thread that everybody in the conversation sees, or in the person's direct messages. */
import type { Button } from '@slack/types';
import { commandButton } from '../blocks/command-button.ts';
import { type Markup, markup } from '../format/mrkdwn.ts';

type Investigated = {
  readonly uuid: string;
  /** For screen readers, such as a cause or `the last failure`. */
  readonly subject: string;
  readonly isPrimary: boolean;
};

const label = 'Investigate (posts here)';
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
      ...{ label: 'Investigate privately', line: `${line} --private`, mode: 'open' },
      accessibilityLabel: `Investigate privately, in your direct messages: ${subject}`,
    }),
  ];
}

/** For a menu, which has no room for a private form of each execution. */
export function investigateNote(slashCommand: string): Markup {
  return markup`Investigate posts a thread here, visible to everyone. For a private one, type ${slashCommand} execution ${'<id>'} --private.`;
}
