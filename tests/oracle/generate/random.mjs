// Random choices from a seed: the same seed gives the same choices on every machine.

export class Random {
  #state;

  /** @param {number} seed  @param {number} [stream] another sequence for the same seed */
  constructor(seed, stream = 0) {
    this.#state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(stream + 1, 0xc2b2ae35)) >>> 0;
    for (let i = 0; i < 4; i += 1) this.next();
  }

  /** In [0, 1), 32 bits of it (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer from `low` to `high`, both included. */
  int(low, high) { return low + Math.floor(this.next() * (high - low + 1)); }

  chance(probability) { return this.next() < probability; }

  pick(list) { return list[this.int(0, list.length - 1)]; }

  /** One of `[weight, value]`. */
  weighted(choices) {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return choices.at(-1)[1];
  }

  /** `count` results of `make`. */
  times(count, make) { return Array.from({ length: count }, (_, i) => make(i)); }

  /** `count` different elements of `list`, or all, in random order. */
  some(list, count) {
    const rest = [...list];
    return this.times(Math.min(count, rest.length), () => rest.splice(this.int(0, rest.length - 1), 1)[0]);
  }
}
