/** Where the encoder writes: a piece of memory that can grow. */
export abstract class ByteTarget {
  /** The memory, of which the encoder may write from `start` up to `end`. A view of WebAssembly memory has length 0 once that has grown. */
  bytes: Uint8Array = NO_BYTES;
  view: DataView = NO_VIEW;
  start = 0;
  end = 0;

  /**
   * Makes room for `size` bytes from `start` on, of which the first `used` are kept, and takes the views anew. Called whenever the
   * encoder runs out of room or finds that the memory has gone from under it.
   */
  abstract reserve(used: number, size: number): void;
}

const NO_BYTES: Uint8Array = new Uint8Array(0);
const NO_VIEW: DataView = new DataView(new ArrayBuffer(0));

/** Memory of JavaScript's own, for bytes that do not go to an engine. */
export class HeapTarget extends ByteTarget {
  override reserve(used: number, size: number): void {
    if (this.bytes.length >= size) return;
    const larger = new Uint8Array(Math.max(size, this.bytes.length * 2, 4096));
    larger.set(this.bytes.subarray(0, used));
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
    this.end = larger.length;
  }
}
