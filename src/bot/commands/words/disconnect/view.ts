/** View of `disconnect`: the warning before it and the confirmation. */
import type { RichTextElement } from '@slack/types';
import { type Message, message } from '../../../views/blocks/message.ts';
import type { Modal } from '../../../views/blocks/modal.ts';
import { anAdmin, bold, bulleted, code, emoji, paragraph, rich, trusted } from '../../../views/blocks/rich-text.ts';

type Stored = { readonly organizationName: string | null; readonly keyHint: string };

export type Disconnect = {
  readonly stored: Stored;
  /** True if the default key is used afterwards. */
  readonly hasDefaultKey: boolean;
};

export function disconnectModal({ stored, hasDefaultKey }: Disconnect): Modal {
  const look = hasDefaultKey
    ? rich`The bot’s default key is used instead, which may belong to another organization.`
    : rich`Nobody in this workspace gets answers about its workflows until ${anAdmin()} connects it again.`;
  return {
    title: 'Disconnect',
    submit: { label: 'Disconnect', command: 'disconnect' },
    close: 'Cancel',
    blocks: [
      bulleted(rich`${emoji('warning')} What happens when this workspace is disconnected from ${nameOf(stored)}`, [
        look,
        hasDefaultKey
          ? rich`Digests go on with the bot’s default key, so they may show another organization’s workflows. To avoid this, pause them first.`
          : rich`Digests stay set up, but report no failures until the workspace is connected again; the bot says so once in each digest’s channel. Digests that are due before then are skipped.`,
        rich`Messages already posted in channels stay there.`,
      ]),
      paragraph(keyWords(stored, false)),
    ],
  };
}

export function disconnectedModal({ stored, hasDefaultKey }: Disconnect): Modal {
  const next = hasDefaultKey ? rich` From now on, the bot’s default key is used.` : [];
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
export function notConnectedMessage(hasDefaultKey: boolean): Message {
  const next = hasDefaultKey
    ? rich` It uses the bot’s default key, which only the person who runs this bot can remove.`
    : rich` There is nothing to disconnect.`;
  return message([paragraph(rich`This workspace has no API key of its own.${next}`)]);
}

function nameOf({ organizationName }: Stored): RichTextElement {
  return bold(organizationName ?? 'its organization', 60);
}

function keyWords({ keyHint }: Stored, isOver: boolean): readonly RichTextElement[] {
  const which = keyHint === '' ? [] : rich` ${code(keyHint)}`;
  return rich`The bot’s copy of the key${which} ${trusted(isOver ? 'is' : 'will be')} deleted. That does not revoke the key: revoke it on the platform if it is no longer needed.`;
}
