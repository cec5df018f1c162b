/**
 * What was read from BSON and the JavaScript value cannot hold, remembered beside the value, so that a document that is read
 * and written back keeps its bytes: dates out of the range of `Date`, NaN with a payload, DBPointers, undefined, and the order of fields
 * whose names look like array indices (JavaScript lists those first, in ascending order).
 *
 * 1. Nothing is remembered for values that JavaScript holds exactly: the maps stay empty for ordinary data.
 * 2. Weak: a value that is gone takes its entry along.
 *
 * Deliberately absent: fields that occur twice in one document (the last one wins, as in the driver), and arrays whose element
 * names are not 0, 1, 2, … (they are numbered anew).
 */

const exactBytes = new WeakMap<object, Uint8Array>();
const undefinedFields = new WeakMap<object, Set<string | number>>();
const fieldOrder = new WeakMap<object, readonly string[]>();

/** Remembers the bytes that `value` was read from. */
export function keepBytes(value: object, bytes: Uint8Array): void {
  exactBytes.set(value, bytes);
}

/** The bytes that `value` was read from, if they were worth remembering. */
export function keptBytes(value: object): Uint8Array | undefined {
  return exactBytes.get(value);
}

/** Remembers that the field (or element) `name` of `container` was stored as BSON's deprecated undefined. */
export function keepUndefined(container: object, name: string | number): void {
  const names = undefinedFields.get(container);
  if (names === undefined) undefinedFields.set(container, new Set([name]));
  else names.add(name);
}

/** True if the field `name` of `container` was read as BSON's undefined. */
export function isKeptUndefined(container: object | undefined, name: string | number): boolean {
  return container !== undefined && undefinedFields.get(container)?.has(name) === true;
}

/** Remembers the order in which the fields of `value` were stored. */
export function keepOrder(value: object, names: readonly string[]): void {
  fieldOrder.set(value, names);
}

/** The names in `keys`, in the order in which `value` was read; fields added since come last. */
export function inKeptOrder(value: object, keys: string[]): string[] {
  const order = fieldOrder.get(value);
  if (order === undefined) return keys;
  const present = new Set(keys);
  const names = order.filter((name) => present.delete(name));
  for (const name of keys) if (present.has(name)) names.push(name);
  return names;
}

/** True if `name` is one that JavaScript would list before the other names of an object. */
export function isIndexName(name: string): boolean {
  const first = name.charCodeAt(0);
  if (!(first >= 48 && first <= 57) || name.length > 10) return false;
  const number = Number(name);
  return number < 4294967295 && String(number) === name;
}
