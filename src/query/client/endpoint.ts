/** Which endpoints may be contacted: those the operator listed, and nothing else. */
import { AppError } from '../../core/errors.ts';

/**
 * @param origins what the operator listed, taken as written: `http:` and private addresses too
 * @throws AppError `forbidden` for any other endpoint, one with user info, or no URL at all
 */
export function allowedEndpoint(endpoint: string, origins: readonly string[]): URL {
  const url = URL.parse(endpoint);
  const isListed = url !== null && origins.some((listed) => URL.parse(listed)?.origin === url.origin);
  const isPlain = url?.username === '' && url.password === '' && /^https?:$/.test(url.protocol);
  if (!url || !isListed || !isPlain) {
    throw new AppError('forbidden', 'This workspace’s query service is not one that the operator of this bot allows.', {
      hint: 'An admin can choose an allowed one.',
    });
  }
  return url;
}
