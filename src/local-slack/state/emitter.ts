/** A synchronous event emitter for one kind of event. */

export type Emitter<T> = {
  /** @returns a function that stops listening */
  readonly on: (listener: (event: T) => void) => () => void;
  readonly emit: (event: T) => void;
};

export function createEmitter<T>(): Emitter<T> {
  const listeners = new Set<(event: T) => void>();
  return {
    on: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit: (event) => {
      for (const listener of [...listeners]) listener(event);
    },
  };
}
