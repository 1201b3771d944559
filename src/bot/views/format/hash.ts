/** A transaction's hash, shortened where it is only to be recognised. */

const shownUnits = 6;

/** @returns such as `0x5209aa…d7f1c2`; what is no long hash stays as it is */
export function shortHash(hash: string): string {
  const [, digits = ''] = /^(?:0x)?([0-9a-f]{16,})$/i.exec(hash) ?? [];
  return digits === '' ? hash : `0x${digits.slice(0, shownUnits)}…${digits.slice(-shownUnits)}`;
}
