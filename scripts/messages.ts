/** Renders docs/messages.md: every message, view, error sentence and log line, from the golden corpus and the sources. */
import { globSync, readFileSync } from 'node:fs';
import { type CallExpression, type NewExpression, type Node, parseSync, Visitor } from 'oxc-parser';
import { isRecord, type JsonRecord, readRecord } from '../src/shared/json.ts';
import { type CorpusLine, goldenFile, parseCorpus, type SlackPayload } from '../test/support/slack/slack-contract.ts';

const opening = `# Messages

Every message, view, sentence, error and log line that people see. \`npm run generate\` writes this page from the golden corpus
(\`${goldenFile}\`) and the sources. \`{…}\` is a value. A long list is cut.
`;

/** Of a message, whose further lines have the same shape; a form is whole. */
const linesMax = { message: 14, response: 14, modal: 80, home: 80 } as const;

export async function messages(): Promise<string> {
  const corpus = parseCorpus(readFileSync(goldenFile, 'utf8'));
  const sections = Map.groupBy(corpus, ({ shown }) => sectionOf(shown));
  const shown = [...sections].map(([title, lines]) => `## ${title}\n\n${lines.map(entry).join('\n')}`);
  const { errors, logs } = sentences();
  const texts = corpus.flatMap(({ payload }) => linesOf(payload).map(readable));
  const others = otherSentences([...texts, ...errors, ...logs].join('\n'));
  const programs = programSentences([...texts, ...errors, ...logs, others].join('\n'));
  const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
  return [
    opening,
    ...shown,
    `## Other sentences\n\nOf messages above in other states, by file. Parts of a sentence may stand apart.\n\n${others}\n`,
    `## Errors\n\nA person reads the sentence, and after it the next step.\n\n${list(errors)}\n`,
    `## Log\n\n${list(logs)}\n`,
    `## Programs, pages and further errors\n\nOf the installation’s pages, the query service, scripts and start-up; those that only a defect causes are among them.\n\n${list(programs)}\n`,
  ].join('\n');
}

function sectionOf(shown: string): string {
  if (shown.startsWith('unasked')) return 'Without being asked';
  if (shown.startsWith('/workflow')) return 'A typed command, or the button for it';
  if (shown.startsWith('the form')) return 'A submitted form';
  return shown === 'Home' ? 'Home' : 'A digest';
}

function entry({ shown, payload }: CorpusLine): string {
  const lines = linesOf(payload).map(readable);
  const max = linesMax[payload.surface];
  const more =
    lines.length > max ? [`(${lines.length - max} more ${lines.length - max === 1 ? 'line' : 'lines'})`] : [];
  return [`### ${shown.replace(/^unasked: /, '')}`, '', '```text', ...lines.slice(0, max), ...more, '```', ''].join(
    '\n',
  );
}

/** @returns the line as Slack shows it, but for dates, which are in UTC */
function readable(line: string): string {
  return line
    .replace(/<!date\^\d{1,16}\^[^|<>]{0,200}\|([^<>]{0,200})>/g, '$1')
    .replaceAll('```', "'''")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function linesOf(payload: SlackPayload): readonly string[] {
  if (!('view' in payload)) return [...payload.text.split('\n'), ...controls(payload.blocks)];
  const { title, submit, close, blocks } = payload.view;
  const buttons = [submit, close].flatMap((button) => (isRecord(button) ? [`[${button['text']}]`] : []));
  return [...(isRecord(title) ? [`${title['text']}`] : []), ...textsIn(blocks), buttons.join(' ')].filter(
    (line) => line !== '',
  );
}

/** @returns the labels of buttons and menus, in one line */
function controls(blocks: unknown): readonly string[] {
  const labels = recordsIn(blocks).flatMap((one) => {
    const { type, text, placeholder } = one;
    if (type === 'button') return [`[${readRecord(text)['text']}]`];
    return type === 'external_select' || type === 'static_select' ? [`[${readRecord(placeholder)['text']} ▾]`] : [];
  });
  const asked = recordsIn(blocks).flatMap(({ confirm }) =>
    isRecord(confirm) ? [`Asks first: ${textsIn(Object.values(confirm)).join(' / ')}`] : [],
  );
  return [...(labels.length > 0 ? [[...new Set(labels)].join(' ')] : []), ...new Set(asked)];
}

/** @returns each text of a view, in the order in which a person reads it */
function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isRecord(value)) return [];
  if (String(value['type']).startsWith('rich_text_') && value['type'] !== 'rich_text_list') return [richText(value)];
  const { text, type } = value;
  if (typeof text === 'string') return type === 'button' ? [`[${text}]`] : text.split('\n');
  return Object.entries(value).flatMap(([key, member]) =>
    key === 'confirm' || key.startsWith('initial_') ? [] : textsIn(member),
  );
}

function richText({ elements }: JsonRecord): string {
  return (Array.isArray(elements) ? elements : [])
    .map(readRecord)
    .map(({ text, name, type, user_id: user, channel_id: channel, fallback, elements: inner }) =>
      Array.isArray(inner)
        ? richText({ elements: inner })
        : (text ?? fallback ?? user ?? (channel && `<#${channel}>`) ?? (type === 'emoji' ? `:${name}:` : '')),
    )
    .join('');
}

function recordsIn(value: unknown): readonly JsonRecord[] {
  if (Array.isArray(value)) return value.flatMap(recordsIn);
  return isRecord(value) ? [value, ...Object.values(value).flatMap(recordsIn)] : [];
}

/** @param shown everything else on the page @returns the words that only other states of the messages have */
function otherSentences(shown: string): string {
  return globSync(`${messageFolders}/**/*.ts`)
    .filter((file) => !noSentences.test(file))
    .toSorted()
    .flatMap((file) => {
      const found = wordsIn(file).filter((words) => !isIn(shown, words));
      const title = `### ${file.replace('src/bot/', '')}`;
      return found.length === 0 ? [] : [`${title}\n\n\`\`\`text\n${found.join('\n')}\n\`\`\``];
    })
    .join('\n\n');
}

const messageFolders = 'src/bot/{views,commands,domain,health,insight,slack/outbound}';
/** Words that are looked for in typed lines and in errors, and Slack's error words. */
const noSentences = /typed-words|web-api|causes.(?:libraries|plain-text|sentences|vocabulary)/;

/** @param shown everything else on the page @returns the other sentences, which end with a full stop */
function programSentences(shown: string): readonly string[] {
  const exclude = [`${messageFolders}/**`, '**/generated/**'];
  const files = globSync('src/{bot,query-service,shared,bin}/**/*.ts', { exclude }).toSorted();
  const found = files.flatMap(wordsIn).filter((words) => words.endsWith('.') && !isIn(shown, words));
  return [
    ...new Set(
      found.map((words) =>
        words
          .split(' ')
          .filter((word) => word !== '' && word !== '/')
          .join(' '),
      ),
    ),
  ];
}

/** Three words in a row, or values between them, are a part of a sentence. */
const threeWords = /(?<![A-Za-z’])[A-Za-z’]{1,40},? [a-z’]{1,40},? [a-z’]/;

function wordsIn(file: string): readonly string[] {
  const found: string[] = [];
  const add = (node: Node) => {
    const words = wordsOf(node).map((each) => each.replaceAll('\n', ' / ').trim());
    found.push(...words.filter((each) => threeWords.test(each.replaceAll('{…}', 'value'))));
  };
  new Visitor({ Literal: add, TemplateLiteral: add }).visit(parseSync(file, readFileSync(file, 'utf8')).program);
  return [...new Set(found)];
}

function isIn(shown: string, words: string): boolean {
  const parts = words.split(/\{…\}| \/ /).map((part) => part.trim());
  return parts.filter((part) => part.length > 5).every((part) => shown.includes(part));
}

type Sentences = { readonly errors: readonly string[]; readonly logs: readonly string[] };

function sentences(): Sentences {
  const files = globSync('src/{bot,shared,query-service}/**/*.ts', { exclude: ['**/generated/**'] }).toSorted();
  const errors: string[] = [];
  const logs: string[] = [];
  const visitor = new Visitor({
    NewExpression: (node) => void errors.push(...errorSentence(node)),
    CallExpression: (node) => void logs.push(...logLine(node)),
  });
  for (const file of files) visitor.visit(parseSync(file, readFileSync(file, 'utf8')).program);
  const sorted = (lines: readonly string[]) => [...new Set(lines)].toSorted((one, other) => (one < other ? -1 : 1));
  return { errors: sorted(errors), logs: sorted(logs) };
}

function errorSentence(node: NewExpression): readonly string[] {
  if (node.callee.type !== 'Identifier' || node.callee.name !== 'AppError') return [];
  const [, sentence, options] = node.arguments;
  const [words] = wordsOf(sentence);
  if (words === undefined) return [];
  const properties = options?.type === 'ObjectExpression' ? options.properties : [];
  const next = properties.flatMap((property) => {
    if (property.type !== 'Property' || property.key.type !== 'Identifier') return [];
    if (property.key.name === 'hint') return wordsOf(property.value);
    return property.key.name === 'command' ? commandWords(property.value) : [];
  });
  return [[words, ...next].join(' — ')];
}

/** @param node with a line and a purpose */
function commandWords(node: Node): readonly string[] {
  if (node.type !== 'ObjectExpression') return [];
  const [line, purpose] = node.properties.flatMap((each) => (each.type === 'Property' ? wordsOf(each.value) : []));
  return [`Type /workflow ${line} to ${purpose}.`];
}

const levels = ['debug', 'info', 'warn', 'error'];

function logLine(node: CallExpression): readonly string[] {
  if (node.callee.type !== 'MemberExpression') return [];
  const { property } = node.callee;
  const [, message] = node.arguments;
  if (node.arguments.length !== 2 || property.type !== 'Identifier' || !levels.includes(property.name)) return [];
  return wordsOf(message).map((words) => `${property.name}: ${words}`);
}

function wordsOf(node: Node | undefined): readonly string[] {
  if (node?.type === 'Literal' && typeof node.value === 'string') return [node.value];
  if (node?.type === 'ConditionalExpression') return [...wordsOf(node.consequent), ...wordsOf(node.alternate)];
  if (node?.type !== 'TemplateLiteral') return [];
  return [node.quasis.map(({ value }) => value.cooked ?? '').join('{…}')];
}
