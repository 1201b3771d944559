/** Reads values from replies of unknown shape. */

/** @throws Error with the path, if it does not exist */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const [index, name] of path.entries()) {
    if (typeof found !== 'object' || found === null || !(name in found)) {
      throw new Error(`There is no ${path.slice(0, index + 1).join('.')} in ${JSON.stringify(value)?.slice(0, 300)}`);
    }
    found = Reflect.get(found, name);
  }
  return found;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const list = at(value, ...path);
  if (!Array.isArray(list)) throw new Error(`${path.join('.')} is no list.`);
  return list;
}

/** Some servers write large numbers as text. */
export function asNumber(value: unknown): number {
  return Number(value);
}
