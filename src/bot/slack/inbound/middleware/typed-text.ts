/**
 * Turns Slack's markup of typed text back into what the person typed: https://docs.slack.dev/messaging/formatting-message-text.
 * Slack escapes `& < >` and sets links, addresses, people and channels in angle brackets, in slash commands and in messages alike.
 */

/** @returns the typed text; a channel stays `<#C…|name>`, since a command may want its id (`typedChannels` has its name) */
export function typedText(text: string): string {
  return text.replace(/<([^<>]*)>|&(?:amp|lt|gt);/g, (found, inside: string | undefined) =>
    inside === undefined ? unescaped(found) : typedToken(found, inside),
  );
}

function typedToken(found: string, inside: string): string {
  const bar = inside.indexOf('|');
  const target = unescaped(bar < 0 ? inside : inside.slice(0, bar));
  const label = unescaped(bar < 0 ? '' : inside.slice(bar + 1));
  switch (target[0]) {
    case '#':
      return unescaped(found);
    case '@':
      return label === '' ? unescaped(found) : withSign(label);
    case '!':
      if (label !== '') return label;
      return /^!(?:here|channel|everyone)$/.test(target) ? `@${target.slice(1)}` : unescaped(found);
    default:
      if (!/^[a-z][a-z0-9+.-]*:/i.test(target)) return unescaped(found);
      return label === '' || (!isAutomatic(target, label) && containsId(target)) ? target : label;
  }
}

function withSign(label: string): string {
  return label.startsWith('@') ? label : `@${label}`;
}

/** Whether Slack made the link by itself, so that the label is what was typed. */
function isAutomatic(target: string, label: string): boolean {
  const [one, other] = [target, label].map((text) =>
    text.replace(/^(?:https?:\/\/|mailto:|tel:)/i, '').replace(/\/$/, ''),
  );
  return one === other;
}

/** A page of the platform, behind words of the person's own. */
function containsId(target: string): boolean {
  return /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{64}/i.test(target);
}

/** Slack escapes these three, once. */
function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, (entity) => (entity === '&lt;' ? '<' : entity === '&gt;' ? '>' : '&'));
}
