/** Addresses in the text of a message. */

/** @param text as Slack stores it, with links in angle brackets @returns the addresses as the person typed them */
export function urlsIn(text: string): readonly string[] {
  return [...text.matchAll(/<(https?:\/\/[^<>|]{1,3000})/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'));
}
