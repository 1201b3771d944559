/** Adds and subtracts credits as decimals of any length, which floating point would round. */

const pattern = /^(\d+)(?:\.(\d+))?$/;

/**
 * @param value a decimal string, a number, or whatever else a service may send
 * @returns the decimal as text; null where it is no plain amount
 */
function readDecimal(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.length <= 60 && pattern.test(text) ? text : null;
}

/** @param row with `creditUsed`, or whatever else a service may send @returns null where it tells of none, or in a form of its own */
export function readCredits(row: unknown): string | null {
  return readDecimal(creditUsedOf(row));
}

/**
 * The service counts from an instant until now, so what a span used is a difference.
 * @param from the row that counts from its start @param to the one that counts from its end @returns null where either does not tell
 */
export function creditsBetween(from: unknown, to: unknown): string | null {
  // Since the end nothing may have run, or not have ended yet: then a service tells of no credits.
  return subtractDecimals(readCredits(from), creditUsedOf(to) === null ? '0' : readCredits(to));
}

function creditUsedOf(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'creditUsed' in row ? row.creditUsed : undefined;
}

/** @returns `a − b`, exactly; null where either is none or the difference is negative */
export function subtractDecimals(a: string | null, b: string | null): string | null {
  const [, wholeA, fractionA = ''] = pattern.exec(a ?? '') ?? [];
  const [, wholeB, fractionB = ''] = pattern.exec(b ?? '') ?? [];
  if (wholeA === undefined || wholeB === undefined) return null;
  const digits = Math.max(fractionA.length, fractionB.length);
  const difference = BigInt(wholeA + fractionA.padEnd(digits, '0')) - BigInt(wholeB + fractionB.padEnd(digits, '0'));
  return difference < 0n ? null : spelled(difference, digits);
}

/** @returns the sum, exactly; null where any is no plain amount */
export function addDecimals(amounts: readonly (string | null)[]): string | null {
  const parts = amounts.map((amount) => pattern.exec(amount ?? ''));
  const digits = Math.max(0, ...parts.map((part) => part?.[2]?.length ?? 0));
  let sum = 0n;
  for (const part of parts) {
    if (part?.[1] === undefined) return null;
    sum += BigInt(part[1] + (part[2] ?? '').padEnd(digits, '0'));
  }
  return spelled(sum, digits);
}

function spelled(scaled: bigint, digits: number): string {
  const text = String(scaled).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/(?:\.|(?<![.0]))0+$/, '');
}
