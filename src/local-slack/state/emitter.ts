/** A synchronous event emitter for one kind of event. */
export class Emitter<T> {
  readonly #listeners = new Set<(event: T) => void>();

  /** @returns a function that stops listening */
  on(listener: (event: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: T): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
