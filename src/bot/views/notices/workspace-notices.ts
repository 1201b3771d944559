/** Messages about a workspace's installation: the next step, missing permissions, a refused key. */
import { actions } from '../blocks/blocks.ts';
import { commandButton, connectButton } from '../blocks/command-button.ts';
import { type Message, message } from '../blocks/message.ts';
import { anAdmin, bold, code, date, emoji, paragraph, plain, rich, trusted } from '../blocks/rich-text.ts';

export type InstalledView = {
  readonly slashCommand: string;
  /** True if it was already connected. */
  readonly isConnected: boolean;
  /** True if an organization installed it as a whole. */
  readonly isOrganization: boolean;
};

export function installedMessage({ slashCommand, isConnected, isOrganization }: InstalledView): Message {
  if (isOrganization) {
    return message([
      paragraph(
        rich`${bold('Workflow Bot is installed in your Slack organization.')} It works in each workspace to which you add it.`,
      ),
      paragraph(
        rich`To connect a workspace to its organization on the workflow platform, type ${code(`${slashCommand} connect`)} in one of its channels. A workspace without a key of its own uses the bot’s default key, if there is one.`,
      ),
    ]);
  }
  if (isConnected) {
    const words = rich`${bold('Workflow Bot was installed again.')} The key and the settings did not change.`;
    return message([
      paragraph(words),
      actions([commandButton({ label: 'List workflows', line: 'list', mode: 'open' })]),
    ]);
  }
  return message([
    paragraph(
      rich`${bold('Workflow Bot is installed.')} Next, connect this workspace to your organization on the workflow platform.`,
    ),
    paragraph(
      rich`You need an API key of that organization, from the platform’s web page. Press ${bold('Connect')}, or type ${code(`${slashCommand} connect`)} in any channel. Until then, the bot’s default key is used, if there is one.`,
    ),
    actions([connectButton()]),
  ]);
}

export type MissingScopesView = {
  /** Slack's names, such as `channels:read and groups:read`. */
  readonly scopes: string;
  readonly installUrl: string;
};

export function missingScopesMessage({ scopes, installUrl }: MissingScopesView): Message {
  return message([
    paragraph(rich`${emoji('warning')} ${bold('Workflow Bot does not have these permissions:')} ${plain(scopes)}.`),
    paragraph(
      rich`Some features do not work. Ask a workspace admin to ${{ type: 'link', url: installUrl, text: 'install the bot again' }} and allow all permissions. The key and the settings do not change.`,
    ),
  ]);
}

export type KeyRefused = {
  /** Epoch milliseconds. */
  readonly since: number;
  /** Null if not known. */
  readonly organization: string | null;
  /** True if the configuration still lists the query service; if so, the service refuses the key. */
  readonly isListed: boolean;
};

export function keyRefusedMessage({ since, organization, isListed }: KeyRefused): Message {
  const key = rich`the API key that you entered for ${organization === null ? trusted('this workspace') : rich`the organization ${bold(organization)}`}`;
  const happened = isListed
    ? rich`Since ${date(since)}, the query service has refused ${key}.`
    : rich`The bot no longer uses ${key}: the query service of that key was taken off the bot’s list of allowed services.`;
  const until = isListed
    ? rich`until the key works again, or ${anAdmin()} enters a new one.`
    : rich`until that service is allowed again, or ${anAdmin()} enters a key for an allowed one.`;
  return message([
    paragraph(rich`${emoji('warning')} ${happened}`),
    paragraph(rich`The bot gets no new data for this workspace ${until}`),
    actions([connectButton()]),
  ]);
}
