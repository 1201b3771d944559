/** The scalars that are not plain text: how they are read and written. */
import { GraphQLError, Kind, type ValueNode } from 'graphql';

const instantPattern = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const firstInstant = Date.parse('0000-01-01T00:00:00.000Z');
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * @param text an ISO 8601 instant with seconds and a zone, such as `2026-11-20T10:00:00Z`
 * @returns epoch milliseconds, or null for anything else: JavaScript's own parsing lets 30 February pass
 */
export function parseInstant(text: string): number | null {
  const [, year, month, day, hour, minute, second, fraction, sign, zoneHour, zoneMinute] =
    instantPattern.exec(text) ?? [];
  if (year === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  if (Number(zoneHour ?? 0) > 23 || Number(zoneMinute ?? 0) > 59) return null;
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`);
  // A day that the month does not have comes out as one of the next month.
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return null;
  const offset = (Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0)) * (sign === '-' ? -60_000 : 60_000);
  const time = (Number(hour) * 3600 + Number(minute) * 60 + Number(second)) * 1000;
  const instant = midnight.getTime() + time + Number((fraction ?? '').slice(0, 3).padEnd(3, '0')) - offset;
  // Its zone may push an instant into a year that cannot be written with four digits.
  return instant < firstInstant || instant > lastInstant ? null : instant;
}

function readTime(value: unknown): number {
  const instant = typeof value === 'string' ? parseInstant(value) : null;
  if (instant === null) {
    throw new GraphQLError('Time must be an ISO 8601 instant with a zone, such as 2026-11-20T10:00:00Z.');
  }
  return instant;
}

function readAddress(value: unknown): string {
  const address = typeof value === 'string' ? /^(?:0x)?([0-9a-f]{40})$/i.exec(value)?.[1] : undefined;
  if (address === undefined) throw new GraphQLError('OnchainAddress must be 40 hexadecimal characters.');
  return address.toLowerCase();
}

/** Reads a literal of a document as the same value in a variable would be read, and says where a wrong one stands. */
function literal<Value>(read: (value: unknown) => Value) {
  return (node: ValueNode): Value => {
    try {
      return read(node.kind === Kind.STRING ? node.value : undefined);
    } catch (error) {
      throw error instanceof GraphQLError ? new GraphQLError(error.message, { nodes: node }) : error;
    }
  };
}

function writeTime(value: unknown): string {
  if (typeof value !== 'number') throw new Error('a time in the records is not a number');
  return new Date(value).toISOString();
}

/** @param value millionths of a credit */
function writeCredits(value: unknown): string {
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new Error('credits in the records are not whole');
  const digits = String(Math.abs(value)).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0+$/, '');
  return `${value < 0 ? '-' : ''}${digits.slice(0, -6)}${fraction === '' ? '' : `.${fraction}`}`;
}

export const scalars = {
  Time: { serialize: writeTime, parseValue: readTime, parseLiteral: literal(readTime) },
  CreditAmount: { serialize: writeCredits },
  OnchainAddress: { parseValue: readAddress, parseLiteral: literal(readAddress) },
} as const;
