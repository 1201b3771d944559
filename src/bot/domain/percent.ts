/** A share as text. */

/** A share; 100 % and 0 % only if exact. @param part at most `whole`, which is above 0 */
export function percent(part: number, whole: number): string {
  const exact = (part / whole) * 100;
  if (exact === 0 || exact === 100) return `${exact} %`;
  const rounded = exact < 1 || exact > 99 ? Math.round(exact * 10) / 10 : Math.round(exact);
  if (rounded === 0) return '< 0.1 %';
  if (rounded === 100) return '> 99.9 %';
  return `${rounded} %`;
}
