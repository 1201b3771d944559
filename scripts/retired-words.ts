/** Identifiers and file names that were replaced by the field's words. test/words.test.ts keeps them out of `src`. */
export const retiredIdentifiers: readonly string[] = [
  ...['Asking', 'createAsking', 'askedRecords', 'Asked', 'manyAtOnce', 'many-at-once', 'optionally'],
  ...['atHand', 'at-hand', 'remembered', 'patiently', 'persistently', 'speaking', 'telling', 'Speaking'],
  ...['pageDeeds', 'page-deeds', 'deeds', 'governance', 'Governance', 'under-way'],
];
