/** Only a request that Slack signed recently with this app's secret is accepted. */
import { expect, test } from 'vitest';
import { createSignatureCheck } from '../../../../../src/bot/slack/inbound/receivers/signature.ts';
import { httpNow, signatureOf, signingSecret } from '../../../../support/slack/signed-http.ts';

const check = createSignatureCheck(signingSecret, () => httpNow * 1000);

function faultOf(at: number | string, sent = 'a=1') {
  const headers = signatureOf({ body: 'a=1', at });
  return check(headers['x-slack-signature'], headers['x-slack-request-timestamp'], Buffer.from(sent));
}

test('the example in Slack’s documentation is valid at its time', () => {
  const body =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar' +
    '&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com' +
    '%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
  const asDocumented = createSignatureCheck('8f742231b10e8888abcd99yyyzzz85a5', () => 1_531_420_618_000);
  const signature = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
  expect(asDocumented(signature, '1531420618', Buffer.from(body))).toBeUndefined();
});

test.each([0, -300, 300])('a clock difference of %i s is accepted', (seconds) => {
  expect(faultOf(httpNow + seconds)).toBeUndefined();
});

test.each([-301, 301, -httpNow, 1e10])('a clock difference of %i s is refused', (seconds) => {
  expect(faultOf(httpNow + seconds)).toBe('clock');
});

test.each(['', ' ', `${httpNow}.0`, `+${httpNow}`, '1e9', 'NaN', '0x10', '9'.repeat(40)])(
  'a signed timestamp %j is refused',
  (at) => {
    expect(faultOf(at)).toBe('not signed');
  },
);

test('one changed byte in the body invalidates the signature', () => {
  expect(faultOf(httpNow, 'a=2')).toBe('signature');
});

test.each([undefined, '', 'v0=', `v1=${'a'.repeat(64)}`, `v0=${'A'.repeat(64)}`, `v0=${'a'.repeat(66)}`, ['v0=']])(
  'a signature %j is refused',
  (signature) => {
    expect(check(signature, String(httpNow), Buffer.from('a=1'))).toBe('not signed');
  },
);

test('an empty secret is refused', () => {
  expect(() => createSignatureCheck('', () => 0)).toThrow('empty');
});
