/** Addresses of the web inside an error: host and path words stay, ids and queries leave. */
import { letterIdPattern, termPattern } from './vocabulary.ts';

const urlPattern = /[a-z][a-z0-9+.-]{1,12}:\/\/([^\s"'<>`)\]}|…]{1,2000})/gi;
/** Behind a path; looked for at each question mark, so that a path without one is read once. */
const queryPattern = /\?(?<=\/[\w.%~/-]{1,300}\?)[^\s"'<>`)\]}]{0,2000}/g;

/** @returns the text with urls as `host/path/…`: no scheme, user, port, query or fragment */
export function shortenUrls(text: string): string {
  const shortened = text.includes('://') ? text.replace(urlPattern, (_all, rest: string) => shortenUrl(rest)) : text;
  return shortened.includes('?') ? shortened.replace(queryPattern, '') : shortened;
}

function shortenUrl(rest: string): string {
  const ended = /[.,:;!]{1,3}$/.exec(rest)?.[0] ?? '';
  const plain = rest.slice(0, rest.length - ended.length).replace(/[?#].*/s, '');
  const [authority = '', ...path] = plain.split('/');
  const host = (authority.split('@').at(-1) ?? '').replace(/:\d+$/, '');
  const labels = host.split('.').map(steady);
  const shownHost = labels.every((label) => label === '…') ? '…' : labels.join('.');
  return [shownHost, ...path.map(steady)].join('/') + ended;
}

function steady(part: string): string {
  if (letterIdPattern.test(part)) return '…';
  return !/\d|%/.test(part) || termPattern.test(part) || /^v\d{1,3}$/i.test(part) ? part : '…';
}
