/** View of `disconnect`: the warning before it and the confirmation. */
import type { RichTextElement } from '@slack/types';
import { type Message, message } from '../../../views/blocks/message.ts';
import type { Modal } from '../../../views/blocks/modal.ts';
import { bold, bulleted, code, emoji, paragraph, rich, trusted } from '../../../views/blocks/rich-text.ts';

type Stored = { readonly organizationName: string | null; readonly keyHint: string };

export type Disconnect = {
  readonly stored: Stored;
  /** True if the operator's key is used afterwards. */
  readonly hasOperatorsKey: boolean;
};

export function disconnectModal({ stored, hasOperatorsKey }: Disconnect): Modal {
  const look = hasOperatorsKey
    ? rich`Answers about its workflows: the operator’s key answers instead, which may be another organization’s.`
    : rich`Answers about its workflows, for everybody here, until an admin connects again.`;
  return {
    title: 'Disconnect',
    submit: { label: 'Disconnect', command: 'disconnect' },
    close: 'Cancel',
    blocks: [
      bulleted(rich`${emoji('warning')} What stops when this workspace is disconnected from ${nameOf(stored)}`, [
        look,
        ...(hasOperatorsKey ? [] : [rich`Digests: they stay set up, and wait until it is connected again.`]),
        rich`What was already posted in channels stays there.`,
      ]),
      paragraph(keyWords(stored, false)),
    ],
  };
}

export function disconnectedModal({ stored, hasOperatorsKey }: Disconnect): Modal {
  const next = hasOperatorsKey ? rich` The operator’s key answers from now on.` : [];
  return {
    title: 'Disconnected',
    submit: null,
    close: 'Done',
    blocks: [
      paragraph(rich`${emoji('white_check_mark')} This workspace is no longer connected to ${nameOf(stored)}.${next}`),
      paragraph(keyWords(stored, true)),
    ],
  };
}

/** For a workspace without a stored key. */
export function notConnectedMessage(hasOperatorsKey: boolean): Message {
  const next = hasOperatorsKey
    ? rich` It is answered with the key that the operator of this bot has given it, which only they can take away.`
    : rich` There is nothing to disconnect.`;
  return message([paragraph(rich`This workspace has stored no API key.${next}`)]);
}

function nameOf({ organizationName }: Stored): RichTextElement {
  return bold(organizationName ?? 'its organization', 60);
}

function keyWords({ keyHint }: Stored, isOver: boolean): readonly RichTextElement[] {
  const which = keyHint === '' ? [] : rich` ${code(keyHint)}`;
  return rich`The key${which} ${trusted(isOver ? 'is' : 'will be')} deleted here. It still works elsewhere: revoke it in the platform if it is no longer used.`;
}
