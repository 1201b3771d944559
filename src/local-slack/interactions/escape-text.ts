/** Converts typed text as Slack does: mentions, channels, links and entities. */
import type { Workspace } from '../state/workspace.ts';

/** In a command, mentions have the name after the id (`should_escape: true`); in a message, people have the id alone. */
type Into = 'command' | 'message';

const everyone: ReadonlySet<string> = new Set(['here', 'channel', 'everyone']);
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * @returns `@ben` and `@Ben Carter` as `<@U…>`, `#payments` as `<#C…|payments>`, links in angle brackets, `price.feed` as
 *   `<http://price.feed|price.feed>`, `& < >` as entities
 */
export function escapeText(text: string, workspace: Workspace, into: Into): string {
  let [escaped, between] = ['', ''];
  for (const word of text.split(/(\s)/)) {
    const target = linkTarget(word);
    if (target === undefined) {
      between += word;
      continue;
    }
    escaped += `${escapeWords(between, workspace, into)}<${escapeAmpersands(target)}|${escapeAmpersands(word)}>`;
    between = '';
  }
  return escaped + escapeWords(between, workspace, into);
}

/** @returns where Slack links a word that has neither `http://` nor `mailto:`; undefined for other words */
function linkTarget(word: string): string | undefined {
  if (/^[\w.+-]+@[\w-][\w.-]*\.[a-z]{2,20}$/i.test(word)) return `mailto:${word}`;
  return /^[a-z0-9][a-z0-9.-]*\.(?:com|dev|feed|io|net|org)(?:\/[^<>|]*)?$/i.test(word) ? `http://${word}` : undefined;
}

function escapeAmpersands(text: string): string {
  return text.replace(/&/g, '&amp;');
}

function escapeWords(text: string, workspace: Workspace, into: Into): string {
  return text.replace(pattern(workspace), (found: string, person?: string, channel?: string) => {
    if (person !== undefined) return mention(found, person, workspace, into);
    if (channel !== undefined) return channelLink(found, channel, workspace);
    return entities[found] ?? `<${escapeAmpersands(found)}>`;
  });
}

/** Whole names come first: they hold spaces. */
function pattern({ people }: Workspace): RegExp {
  const names = people.map(({ realName }) => realName.replace(/[^\w ]/g, '\\$&')).join('|');
  const person = `(?<![\\w@])@((?:${names})(?!\\w)|[\\w.-]*\\w)`;
  return new RegExp(`https?://[^\\s<>|]+|${person}|(?<![\\w#])#([\\w-]+)|[&<>]`, 'gi');
}

function mention(found: string, typed: string, { people }: Workspace, into: Into): string {
  const name = typed.toLowerCase();
  if (everyone.has(name)) return `<!${name}>`;
  const person = people.find((candidate) => [candidate.name, candidate.realName.toLowerCase()].includes(name));
  if (!person) return found;
  return into === 'command' ? `<@${person.id}|${person.name}>` : `<@${person.id}>`;
}

function channelLink(found: string, name: string, workspace: Workspace): string {
  const channel = workspace.channels.find((candidate) => candidate.kind !== 'dm' && candidate.name === name);
  return channel ? `<#${channel.id}|${channel.name}>` : found;
}

/** @param text as Slack stores it, with links in angle brackets @returns the addresses as the person typed them */
export function urlsIn(text: string): readonly string[] {
  return [...text.matchAll(/<(https?:\/\/[^<>|]{1,3000})/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'));
}
