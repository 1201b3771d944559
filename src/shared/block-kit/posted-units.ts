/** Counts the length of blocks for the limit of a posted message, with their containers. */

/** Slack adds members such as ids to each block: in slackapi/bolt-js#2509 a divider, 18 units of JSON, takes 125. */
const addedUnits = 107;

/** @returns UTF-16 units of the blocks as JSON, and those that Slack adds */
export function postedUnits(blocks: readonly object[]): number {
  return blocks.reduce((units: number, block) => units + blockUnits(block), 0);
}

export function blockUnits(block: object): number {
  return JSON.stringify(block).length + addedUnits;
}
