/** The kinds of fields that lines of an import are made of, checked as strictly as they are answered. */
import { z } from 'zod';
import { parseCredits } from '../graphql/credits.ts';
import { parseInstant } from '../graphql/instant.ts';

/** What is sent as JSON to strangers and kept by either engine. */
export const text = z
  .string()
  .refine(
    (value) => value.isWellFormed() && !value.includes('\0'),
    'must hold neither NUL nor half of a surrogate pair',
  );

const wordUnitsMax = 200;

/** An id of any form: one word that people can type. */
export const word = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be one word of printable ASCII characters')
  .max(wordUnitsMax, `must be at most ${wordUnitsMax} characters long`);

export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a uuid in lower case, with hyphens');

/** @param digits how many @returns in lower case */
export const hex = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${digits}}$`, 'i'), `must be ${digits} hexadecimal characters, without 0x`)
    .transform((value) => value.toLowerCase());

/** @returns epoch milliseconds */
export const time = z.string().transform((value, context) => {
  const instant = parseInstant(value);
  if (instant !== null) return instant;
  context.addIssue('must be an ISO 8601 instant with a zone, such as 2026-11-20T10:00:00Z');
  return z.NEVER;
});

/** @returns millionths */
export const credits = z.string().transform((value, context) => {
  const micros = parseCredits(value);
  if (micros !== null) return micros;
  context.addIssue('must be a decimal such as "0.05" with at most nine places before the point and six after it');
  return z.NEVER;
});

const int32Max = 2_147_483_647;

/** As GraphQL counts. */
export const count = z
  .number()
  .refine((value) => Number.isInteger(value) && value >= 0 && value <= int32Max, 'must be a whole number from 0');

/** What may be null may be left out. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);
