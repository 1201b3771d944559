/** A time zone as the choice of a menu. */
import type { Choice } from './inputs.ts';

/** @param offset such as `UTC+01:00` */
export function zoneChoice({ zone, offset }: { readonly zone: string; readonly offset: string }): Choice {
  return { label: `${zone.replaceAll('_', ' ')} (${offset})`, value: zone };
}
