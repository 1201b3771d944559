/** What `npm start` prints: what runs, where, three things to try, and the way to a real workspace. */

export type Welcome = { readonly pageUrl: string; readonly serviceUrl: string; readonly slashCommand: string };

export function playgroundWelcome({ pageUrl, serviceUrl, slashCommand }: Welcome): string {
  return `workflow-bot is running in a local Slack, with a sample organization behind it.

  Open          ${pageUrl}
  Query service ${serviceUrl}

Try
  ${slashCommand} status payments
  ${slashCommand} list
  ${slashCommand} help

For a real workspace follow “Connect a real workspace” in README.md. Ctrl-C stops everything.`;
}
