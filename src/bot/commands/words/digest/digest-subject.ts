/** Which digest is meant: that of the channel, of a channel that is named, or the one with an id. */
import { AppError } from '../../../../shared/errors.ts';
import type { Subscription } from '../../../domain/subscription.ts';

export type DigestSubject =
  | { readonly kind: 'one'; readonly subscription: Subscription }
  /** `isElsewhere`: the conversation has none. */
  | { readonly kind: 'several'; readonly subscriptions: readonly Subscription[]; readonly isElsewhere: boolean }
  /** Nowhere in the workspace. */
  | { readonly kind: 'none' };

const idLengthMin = 4;

/**
 * @param target a channel's mention or id, or a digest's id or how it begins; empty for where the person is
 * @throws AppError `not_found` where something is named that has no digest
 */
export function findDigest(target: string, all: readonly Subscription[], channelId: string): DigestSubject {
  if (all.length === 0) return { kind: 'none' };
  const named = /^<#([CG][A-Z0-9]{1,30})(?:\|[^>]*)?>$/.exec(target)?.[1] ?? target;
  const here = all.filter((each) => each.channelId === (target === '' ? channelId : named));
  const meant = here.length > 0 ? here : all.filter(({ id }) => target.length >= idLengthMin && id.startsWith(target));
  const [one, ...others] = meant;
  if (one && others.length === 0) return { kind: 'one', subscription: one };
  if (one) return { kind: 'several', subscriptions: meant, isElsewhere: false };
  if (target === '') return { kind: 'several', subscriptions: all, isElsewhere: true };
  throw new AppError('not_found', `I know no digest “${target}”.`, {
    hint: 'Name its channel, or leave that out in the channel itself. “digest list” shows all of them.',
  });
}
