/** Where the encoder writes: a piece of memory that can grow. */
export interface ByteTarget {
  /**
   * The memory as it is now, at least `size` bytes long, with its first `used` bytes kept. Called whenever the encoder runs out of
   * room, and also when the memory has moved away under it: a view of WebAssembly memory has length 0 once that memory has grown.
   */
  reserve(used: number, size: number): Uint8Array;
}

/** Memory of JavaScript's own, for bytes that do not go to an engine. */
export class HeapTarget implements ByteTarget {
  #bytes = new Uint8Array(4096);

  reserve(used: number, size: number): Uint8Array {
    if (this.#bytes.length < size) {
      const larger = new Uint8Array(Math.max(size, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, used));
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}
