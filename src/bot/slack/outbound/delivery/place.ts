/** Where in Slack something is written. */
export type Place = {
  readonly botToken: string;
  readonly channelId: string;
  /** The root of the thread, for a reply. */
  readonly threadTs?: string;
};
