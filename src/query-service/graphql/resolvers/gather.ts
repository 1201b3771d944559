/** Gathers what a document wants of one thing, so that it is read in one step: fields that stand side by side all say so first. */

/** @returns the whole, with at least the part that is wanted */
export type Gathered<Part, Whole> = (part: Part) => Promise<Whole>;

/** @param read is given every part that was wanted in the same moment; whoever comes later has it read anew */
export function gather<Part, Whole>(read: (wanted: ReadonlySet<Part>) => Promise<Whole>): Gathered<Part, Whole> {
  let wanted = new Set<Part>();
  let whole: Promise<Whole> | undefined;
  return (part) => {
    wanted.add(part);
    whole ??= Promise.resolve().then(() => {
      const parts = wanted;
      wanted = new Set();
      whole = undefined;
      return read(parts);
    });
    return whole;
  };
}
