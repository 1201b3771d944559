/** Amounts of credits: decimals of any length, which floating point would round. */

const pattern = /^(\d+)(?:\.(\d+))?$/;

/**
 * @param value a decimal string, a number, or whatever else a service may send
 * @returns the decimal as text; null where it is no plain amount
 */
export function readDecimal(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.length <= 60 && pattern.test(text) ? text : null;
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
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, '');
}
