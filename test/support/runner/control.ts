/** A timer beside the work that is tested: on a loaded machine it fires as late as the timers of that work. */

/** @returns whether the time is over */
export function startControl(ms: number): { readonly isOver: () => boolean } {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  setTimeout(end, ms).unref();
  return { isOver: () => isOver };
}
