/** The part of an event emitter that applications use, since browsers have none of Node's. */

export type Listener = (...values: never[]) => void;

export class EventSource {
  readonly #listeners = new Map<string, Listener[]>();

  on(name: string, listener: Listener): this {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) this.#listeners.set(name, [listener]);
    else listeners.push(listener);
    return this;
  }

  addListener(name: string, listener: Listener): this {
    return this.on(name, listener);
  }

  once(name: string, listener: Listener): this {
    const first = (...values: never[]): void => {
      this.off(name, first);
      listener(...values);
    };
    return this.on(name, first);
  }

  off(name: string, listener: Listener): this {
    const listeners = this.#listeners.get(name) ?? [];
    const at = listeners.lastIndexOf(listener);
    if (at >= 0) listeners.splice(at, 1);
    return this;
  }

  removeListener(name: string, listener: Listener): this {
    return this.off(name, listener);
  }

  listenerCount(name: string): number {
    return this.#listeners.get(name)?.length ?? 0;
  }

  /** Calls the listeners of `name`; true if there were any. */
  emit(name: string, ...values: unknown[]): boolean {
    const listeners = [...(this.#listeners.get(name) ?? [])];
    for (const listener of listeners) (listener as (...values: unknown[]) => void)(...values);
    return listeners.length > 0;
  }
}
