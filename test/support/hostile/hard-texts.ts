/** Pieces of text that are hard to read when repeated: each opens a construct that is never closed, or nearly matches everywhere. */
export const hardUnits: readonly string[] = [
  ...['"', '“', '«', '`', "'", '‘', "a'", '\\"', '\\', '\\n', '\\u0041', '"a":', '{"a":"', "{'a':'"],
  ...['{', '[', '(', '{"', '{"error":"x",', '[{', '[::', '<', '<p', '<p a=', '{a}', '(…)'],
  ...[
    'key=',
    'key= ',
    'a=',
    'a=b ',
    'a=b;',
    'a="',
    'a: b, ',
    'password=',
    'password: ',
    '"token":"',
    'api_key',
    'secret is ',
  ],
  ...['Authorization:', 'Authorization: Bearer ', 'Bearer ', 'Basic ', 'Cookie: a=b; ', 'Set-Cookie:', 'X-Api-Key: '],
  ...['-----BEGIN RSA PRIVATE KEY-----', '-----BEGIN ', '-----', 'eyJ', 'eyJa.', 'sk_live_', 'AKIA', 'ghp_', 'xoxb-'],
  ...[
    'http://',
    'https://a:b@c/',
    'https://a/?b=c&',
    'a://b?',
    '?',
    '%41',
    '/',
    'a/',
    '@',
    'a@',
    'a.',
    '--a ',
    '--a="',
    ' -u a:',
  ],
  ...[
    '…',
    '… ',
    '…, ',
    'after … ',
    '(… ',
    ':',
    ': ',
    'a: ',
    'caused by: ',
    'request id ',
    'retry … of ',
    ' | ',
    ' at a:1 ',
  ],
  ...['node-1 ', 'node 7: ', 'a@1.0.0: ', '0x', '0x08c379a0', '1', '1.', '-1 ', 'a1', 'ab1 ', 'x1_', 'aB', 'aBc9'],
  ...['a', 'a ', ' ', ',', ', ', ';', '.', '-', '_', '*', '_a', ':a', '&', '>', '\n', '\n\n', '\n at ', '\r\n', '\t'],
  ...[
    '\u0301',
    'e\u0301',
    '\u001b',
    '\u001b[',
    '\u001b]0;',
    '\u200d',
    '👩\u200d',
    '\u202e',
    '\ud83d',
    '😀',
    '账',
    '账1',
    'ﬀ',
    '\u0000',
  ],
];

/** For work on lists, whose cost depends on the number of items. */
export const fewUnits: readonly string[] = ['a ', '"', '7:'];

const itemUnits = 8;

/** @returns one short text for each eight units of the text */
export function itemsOf(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / itemUnits) }, (_, index) =>
    text.slice(index * itemUnits, (index + 1) * itemUnits),
  );
}
