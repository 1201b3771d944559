/**
 * Slack's limits as one table for the views, the local Slack and the tests. They come from the Block Kit reference and
 * the texts of @slack/types 3.2. Lengths are UTF-16 units, the strictest way to count characters.
 */
export const limits = {
  message: {
    blocksMax: 50,
    /**
     * Total of all blocks of a posted or edited message, by `postedUnits`; a response_url takes more. Slack documents
     * no number; its engineers name 12,000 characters and "a buffer for block containers" in slackapi/bolt-js#2509.
     */
    postedUnitsMax: 12_000,
    /** 20 % less: in slackapi/bolt-js#2867, Slack refused 11,341 characters of text in many containers. */
    safePostedUnitsMax: 9600,
    /** Slack silently truncates longer texts. */
    textUnitsMax: 40_000,
    /** Slack's recommendation for a top-level text, and the limit of chat.update. */
    advisedTextUnitsMax: 4000,
    tablesMax: 1,
    /** Not documented: Slack's refusal says it (vercel/chat#696). */
    chartsMax: 2,
    /** Total of all cells of all tables. */
    tableUnitsMax: 10_000,
  },
  /**
   * One message over a socket, in bytes. Slack closes the connection at a longer one, with code 1009: "Max frame length of
   * 20480 has been exceeded" (revelrylabs/slax#614, August 2026). An acknowledgement stays well below, over HTTP too.
   */
  socket: { frameBytesMax: 20_480, acknowledgementBytesMax: 16_000 },
  view: {
    blocksMax: 100,
    titleUnitsMax: 24,
    buttonUnitsMax: 24,
    metadataUnitsMax: 3000,
    bytesMax: 250_000,
    /** Stacked modals. */
    stackMax: 3,
  },
  id: { unitsMax: 255 },
  text: { unitsMax: 3000 },
  header: { textUnitsMax: 150 },
  section: { textUnitsMax: 3000, fieldsMax: 10, fieldUnitsMax: 2000 },
  context: { elementsMax: 10 },
  actions: { elementsMax: 25 },
  /** https://docs.slack.dev/reference/methods/files.getUploadURLExternal: `alt_txt_too_large`. */
  file: { altUnitsMax: 1000 },
  input: { labelUnitsMax: 2000, hintUnitsMax: 2000 },
  table: { rowsMax: 100, cellsMax: 20, columnSettingsMax: 20 },
  plan: { tasksMax: 50 },
  /** `nameUnitsMax` of series, points and categories. */
  dataVisualization: { titleUnitsMax: 50, nameUnitsMax: 20, axisUnitsMax: 50, seriesMax: 12, pointsMax: 20 },
  richText: { indentMax: 8 },
  /** `textUnitsMax` is the limit; Slack shows about 30 units. */
  button: { textUnitsMax: 75, valueUnitsMax: 2000, urlUnitsMax: 3000, labelUnitsMax: 75 },
  /** The reference says 150 for `value`, the types still say 75: stay within 75. */
  option: { textUnitsMax: 75, valueUnitsMax: 150, safeValueUnitsMax: 75, descriptionUnitsMax: 75 },
  select: { optionsMax: 100, groupsMax: 100, groupLabelUnitsMax: 75, placeholderUnitsMax: 150 },
  choice: { optionsMax: 10 },
  textInput: { lengthMax: 3000 },
} as const;
