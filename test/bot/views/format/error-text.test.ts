/** Errors as people read them. */
import { describe, expect, it } from 'vitest';
import { causeBeginning, causeText, errorText } from '../../../../src/bot/views/format/error-text.ts';

describe('the words of a cause', () => {
  const refused = '422: unknown field "settlementCurrency" in payouts[26]';

  it.each([
    [
      'the values that its title leaves out',
      'unknown field "settlementCurrency" in payouts[<number>]',
      refused.slice(5),
    ],
    ['what follows a variable at the beginning of its title', '<number>: unknown field', refused.slice(5)],
    ['… for each variable, if the error is not its', 'quorum: <number> of <number> nodes', 'quorum: … of … nodes'],
  ])('have %s', (_, title, words) => {
    expect(causeText([{ error: refused }], title, 160).text).toBe(words);
  });

  it('keep what went wrong if its ids are too long', () => {
    const error = `reverted: insufficient allowance of 0x${'ab'.repeat(20)} for 0x${'cd'.repeat(20)}`;
    expect(causeText([{ error }], 'reverted: insufficient allowance', 80).text).toBe(
      'reverted: insufficient allowance of 0xabab…abab for 0xcdcd…cdcd',
    );
  });

  it('in a first line end after a whole word, with short ids', () => {
    const error = `execution reverted: ERC20: insufficient allowance (spender 0x${'ab'.repeat(20)}, allowance 0, needed 81738000000)`;
    const beginning = (max: number) => causeBeginning([{ error }], 'execution reverted: ERC20', max).text;
    expect(beginning(80)).toBe('execution reverted: ERC20: insufficient allowance (spender 0xabab…abab,…');
    expect(beginning(47)).toBe('execution reverted: ERC20: insufficient…');
    expect(beginning(400)).toMatch(/needed 81738000000\)$/);
  });

  it('never have the half of a secret that is left when an error is shortened to its end', () => {
    const error = 'refused: sent Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345';
    expect(causeText([{ error }], 'ghp', 240).text).not.toContain('0123456');
  });
});

it('long encoded data in an error is shortened, with its length', () => {
  const error = `reverted with 0x${'ab'.repeat(400)}: insufficient allowance`;
  expect(errorText(error, 400).text).toContain(
    'reverted with 0xababab…abababab (802 characters): insufficient allowance',
  );
});
