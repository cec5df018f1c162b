/**
 * Field names, remembered both ways: name to bytes for the encoder, bytes to name for the decoder.
 *
 * 1. Both memories are bounded: data with ever new names costs time, never memory.
 * 2. A hit by hash counts only after the bytes have been compared.
 * 3. A name holds no NUL: it would end the name in the bytes.
 */
import { encodeText, readText } from './utf8.js';

const ENTRIES_MAX = 4096;
const UNITS_MAX = 64;

const bytesOfName = new Map<string, Uint8Array>();

/** The bytes of `name` with the NUL that ends it, or undefined if the name itself holds a NUL. */
export function nameBytes(name: string): Uint8Array | undefined {
  const known = bytesOfName.get(name);
  return known !== undefined ? known : newNameBytes(name);
}

function newNameBytes(name: string): Uint8Array | undefined {
  if (name.includes('\0')) return undefined;
  const text = encodeText(name);
  const bytes = new Uint8Array(text.length + 1);
  bytes.set(text);
  if (name.length <= UNITS_MAX) {
    if (bytesOfName.size >= ENTRIES_MAX) bytesOfName.clear();
    bytesOfName.set(name, bytes);
  }
  return bytes;
}

/** Writes the digits of an array index, without the NUL; returns the offset behind them. */
export function writeIndex(bytes: Uint8Array, at: number, index: number): number {
  let digits = 1;
  for (let bound = 10; index >= bound; bound *= 10) digits++;
  let rest = index;
  for (let digit = digits - 1; digit >= 0; digit--) {
    const next = Math.floor(rest / 10);
    bytes[at + digit] = 48 + rest - next * 10;
    rest = next;
  }
  return at + digits;
}

const SLOTS = 4096;
const SLOT_BYTES = 32;
const slotNames: string[] = new Array<string>(SLOTS).fill('');
const slotLengths = new Uint8Array(SLOTS);
const slotBytes = new Uint8Array(SLOTS * SLOT_BYTES);

/** Where the name that begins at `start` ends (the offset of its NUL), or -1 if it does not end before `limit`. */
let endOfName = 0;

/** The offset of the NUL that ended the name read last. */
export function lastNameEnd(): number {
  return endOfName;
}

/** Reads the NUL-terminated name at `start`. Returns undefined if there is no NUL before `limit`. */
export function readName(bytes: Uint8Array, start: number, limit: number, strict: boolean): string | undefined {
  let hash = 0x811c9dc5;
  let at = start;
  for (; at < limit; at++) {
    const byte = bytes[at] as number;
    if (byte === 0) break;
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  if (at >= limit) return undefined;
  endOfName = at;
  const length = at - start;
  if (length === 0) return '';
  if (length > SLOT_BYTES) return readText(bytes, start, at, strict);
  const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
  const base = slot * SLOT_BYTES;
  if (slotLengths[slot] === length) {
    let index = 0;
    while (index < length && slotBytes[base + index] === bytes[start + index]) index++;
    if (index === length) return slotNames[slot] as string;
  }
  const name = readText(bytes, start, at, strict);
  // Only what strict reading accepts is remembered, so that a lossy reading never answers a strict one.
  if (strict) {
    slotLengths[slot] = length;
    slotNames[slot] = name;
    for (let index = 0; index < length; index++) slotBytes[base + index] = bytes[start + index] as number;
  }
  return name;
}
