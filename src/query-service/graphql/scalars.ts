/** Custom scalars: how they are parsed and serialized. */
import { GraphQLError, Kind, type ValueNode } from 'graphql';
import { parseInstant, printCredits, printInstant } from '../scalar-text.ts';

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

/** Parses a literal like a variable; an error has the location of the literal. */
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
  return printInstant(value);
}

function writeCredits(value: unknown): string {
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new Error('credits in the records are not whole');
  return printCredits(value);
}

export const scalars = {
  Time: { serialize: writeTime, parseValue: readTime, parseLiteral: literal(readTime) },
  CreditAmount: { serialize: writeCredits },
  OnchainAddress: { parseValue: readAddress, parseLiteral: literal(readAddress) },
} as const;
