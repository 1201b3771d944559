/** What `npm start` prints: what runs, where, three things to try, a second workspace, and the way to a real one. */

export type Welcome = {
  readonly pageUrl: string;
  readonly serviceUrl: string;
  readonly slashCommand: string;
  /** Of the sample's organizations, by their names; the first is the first workspace's. */
  readonly keys: Readonly<Record<string, string>>;
};

export function playgroundWelcome({ pageUrl, serviceUrl, slashCommand, keys }: Welcome): string {
  const others = Object.entries(keys).slice(1);
  return `workflow-bot is running in a local Slack, with a sample organization behind it.

  Open          ${pageUrl}
  Query service ${serviceUrl}

Try
  ${slashCommand} status payments
  ${slashCommand} list
  ${slashCommand} help

A second workspace: add it in the menu at the workspace’s name, install the bot there, then ${slashCommand} connect with the key of
${others.map(([name, key]) => `  ${name}  ${key}`).join('\n')}

For a real workspace follow “Connect a real workspace” in README.md. Ctrl-C stops everything.`;
}
