/** Searches everything that a bot left behind for data in the wrong place. Independent of the bot's code. */
import type { Sent } from './taps.ts';

export type Evidence = {
  readonly sent: readonly Sent[];
  /** Log lines at trace level. */
  readonly logged: readonly string[];
  /** Cached answers. */
  readonly cached: readonly { readonly key: string; readonly value: string }[];
  readonly metrics: string;
  /** The files of the database, a character for each byte. */
  readonly stored: readonly string[];
};

export type Expectations = {
  /** Marks of the own organization, by workspace. */
  readonly markerOf: ReadonlyMap<string, string>;
  /** Marks of every organization. */
  readonly markers: readonly string[];
  /** Keys, tokens and other secrets, which must not appear anywhere. */
  readonly secrets: readonly string[];
};

type Place = { readonly where: string; readonly teamId: string | undefined; readonly text: string };

/** @returns one line for each value in the wrong place */
export function findLeaks(evidence: Evidence, expected: Expectations): readonly string[] {
  const { markerOf, markers } = expected;
  const { metrics, stored } = evidence;
  const teamOfKey = (key: string) => [...markerOf.keys()].find((teamId) => key.includes(`"${teamId}"`));
  const places: readonly Place[] = [
    ...evidence.sent.map(({ teamId, what, text }) => ({ where: what, teamId, text })),
    ...evidence.logged.map((line) => ({ where: 'log', teamId: JSON.parse(line).teamId, text: line })),
    ...evidence.cached.map(({ key, value }) => ({ where: 'cache', teamId: teamOfKey(key), text: key + value })),
    { where: 'metrics', teamId: undefined, text: metrics },
  ];
  const anyMarker = new RegExp(markers.join('|'), 'g');
  const foreign = places.flatMap(({ where, teamId = 'nobody', text }) => {
    const own = markerOf.get(teamId);
    const others = [...new Set(text.match(anyMarker))].filter((marker) => marker !== own);
    return others.map((marker) => `${where} of ${teamId}: ${marker}`);
  });
  const labels = [...markerOf.keys()].filter((teamId) => metrics.includes(teamId));
  const files = stored.map((text) => ({ where: 'database', teamId: undefined, text }));
  return [...foreign, ...labels.map((teamId) => `metrics: ${teamId}`), ...findSecrets([...places, ...files], expected)];
}

function findSecrets(places: readonly Place[], { secrets }: Expectations): readonly string[] {
  const holds = createSecretSearch(secrets);
  return places.flatMap(({ where, teamId = 'nobody', text }) => {
    return holds(text).map((secret) => `${where} of ${teamId}: the secret ${secret.slice(0, 12)}…`);
  });
}

const coreLength = 24;

/** Finds hundreds of secrets in hundreds of megabytes by their random part. */
function createSecretSearch(secrets: readonly string[]): (text: string) => readonly string[] {
  const coreOf = (secret: string) => /[0-9a-f]{24}/.exec(secret)?.[0] ?? '';
  const byCore = new Map(secrets.map((secret) => [coreOf(secret), secret]));
  byCore.delete('');
  const whole = secrets.filter((secret) => coreOf(secret) === '');
  return (text) => {
    const cores = (text.match(/[0-9a-f]{24,}/g) ?? []).flatMap((run) => {
      return Array.from({ length: run.length - coreLength + 1 }, (_, at) => byCore.get(run.slice(at, at + coreLength)));
    });
    const found = cores.filter((secret) => secret !== undefined);
    return [...new Set([...found, ...whole.filter((secret) => text.includes(secret))])];
  };
}
