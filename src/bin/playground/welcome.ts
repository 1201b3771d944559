/** The text that `npm start` prints: addresses, sample commands, keys, and how to connect a real workspace. */

type Welcome = {
  readonly pageUrl: string;
  readonly serviceUrl: string;
  readonly slashCommand: string;
  /** Keys of the sample's organizations, by name. The first key is the first workspace's. */
  readonly keys: Readonly<Record<string, string>>;
  /** Refused keys by the reason. */
  readonly refusedKeys: Readonly<Record<string, string>>;
  readonly deadEndpoint: string;
  /** Channel and time of the sample digest. */
  /** A sentence if the messages of earlier runs could not be read. */
  readonly storageProblem: string | null;
  readonly digest: { readonly channelName: string; readonly time: string; readonly zone: string } | undefined;
};

export function playgroundWelcome(welcome: Welcome): string {
  const { pageUrl, serviceUrl, slashCommand, keys, refusedKeys, deadEndpoint, digest, storageProblem } = welcome;
  const others = Object.entries(keys).slice(1);
  return `workflow-bot is running in a local Slack, with a sample organization behind it.${storageProblem === null ? '' : `\n\n${storageProblem}`}

  Open          ${pageUrl}
  Query service ${serviceUrl}

Try
  ${slashCommand} status payments
  ${slashCommand} list
  ${slashCommand} help${digest ? `\n\nA digest comes in #${digest.channelName} at ${digest.time} (${digest.zone}), within two minutes; ${slashCommand} digest now posts one at once.` : ''}

A second workspace: add it in the menu at the workspace’s name, install the bot there, then ${slashCommand} connect with the key of
${keyLines(others)}
What it refuses can be tried, too: any other text, the query service ${deadEndpoint}, and these keys
${keyLines(Object.entries(refusedKeys))}

For a real workspace follow “Connect a real workspace” in README.md. Ctrl-C stops everything.`;
}

function keyLines(named: readonly (readonly [string, string])[]): string {
  return named.map(([name, key]) => `  ${name}  ${key}`).join('\n');
}
