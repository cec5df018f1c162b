/**
 * What an object is to BSON: a document, an array, a value of a BSON class, or something that has no place in a document.
 *
 * 1. BSON classes are known by what their *prototype* says: the version symbol that `bson` 5 and later put there, or the type
 *    name of `bson` 2 to 4. A `_bsontype` in the object itself says nothing: JSON from outside can contain one, and is data.
 * 2. Built-in objects are known by their internal slots, so objects of other realms (frames, `vm` contexts) are known too.
 * 3. Proxies are what they stand for, as far as they answer like it (Vue, MobX).
 *
 * The answer is remembered by prototype, weakly.
 */
import { ObjectId } from 'bson';

export const PLAIN = 0;
export const LIST = 1;
export const MAP = 2;
export const JS_DATE = 3;
export const JS_REGEXP = 4;
export const BYTES = 5;
export const BUFFER = 6;
/** Has no place in a document; `refusal` says why. */
export const REFUSED = 7;
export const BSON_OBJECT_ID = 8;
export const BSON_LONG = 9;
export const BSON_TIMESTAMP = 10;
export const BSON_DOUBLE = 11;
export const BSON_INT32 = 12;
export const BSON_DECIMAL128 = 13;
export const BSON_BINARY = 14;
export const BSON_CODE = 15;
export const BSON_SYMBOL = 16;
export const BSON_REGEXP = 17;
export const BSON_DB_REF = 18;
export const BSON_MIN_KEY = 19;
export const BSON_MAX_KEY = 20;

const kindOfTag: ReadonlyMap<string, number> = new Map([
  ['ObjectId', BSON_OBJECT_ID],
  ['ObjectID', BSON_OBJECT_ID],
  ['Long', BSON_LONG],
  ['Timestamp', BSON_TIMESTAMP],
  ['Double', BSON_DOUBLE],
  ['Int32', BSON_INT32],
  ['Decimal128', BSON_DECIMAL128],
  ['Binary', BSON_BINARY],
  ['Code', BSON_CODE],
  ['BSONSymbol', BSON_SYMBOL],
  ['Symbol', BSON_SYMBOL],
  ['BSONRegExp', BSON_REGEXP],
  ['DBRef', BSON_DB_REF],
  ['MinKey', BSON_MIN_KEY],
  ['MaxKey', BSON_MAX_KEY],
]);

const VERSION = Symbol.for('@@mdb.bson.version');
const TYPE = Symbol.for('@@mdb.bson.type');

const objectPrototype: object = Object.prototype;
const objectIdPrototype: object = ObjectId.prototype;
const kinds = new WeakMap<object, number>([
  [Date.prototype, JS_DATE],
  [RegExp.prototype, JS_REGEXP],
  [Map.prototype, MAP],
  [Set.prototype, REFUSED],
  [Uint8Array.prototype, BYTES],
  [ArrayBuffer.prototype, BUFFER],
]);

/** The kind of `value`, one of the constants above. */
export function classify(value: object): number {
  if (Array.isArray(value)) return LIST;
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === objectPrototype || prototype === null) return PLAIN;
  if (prototype === objectIdPrototype) return BSON_OBJECT_ID;
  const known = kinds.get(prototype);
  return known !== undefined ? known : firstSeen(value, prototype);
}

function firstSeen(value: object, prototype: object): number {
  const tagged = bsonKind(value, prototype);
  if (tagged !== undefined) return remember(prototype, tagged);
  const builtIn = builtInKind(value);
  if (builtIn !== undefined) return remember(prototype, builtIn);
  const old = firstBsonKind(value, prototype);
  if (old !== undefined) return old;
  // A proxy hides the slots of what it stands for, but not its name.
  const named = namedKind(value);
  if (named !== undefined) return named;
  return Object.hasOwn(value, Symbol.toStringTag) ? PLAIN : remember(prototype, PLAIN);
}

function remember(prototype: object, kind: number): number {
  kinds.set(prototype, kind);
  return kind;
}

/** The kind that the prototype of a BSON class of version 2 or later declares. */
function bsonKind(value: object, prototype: object): number | undefined {
  const declared = prototype as { [key: symbol]: unknown; _bsontype?: unknown };
  const versioned = typeof declared[VERSION] === 'number';
  const tag = versioned ? (declared[TYPE] ?? declared._bsontype) : declared._bsontype;
  if (typeof tag !== 'string') return undefined;
  // In bson 4 and before, a Timestamp inherits the name of Long and has its own in the object.
  const timestamp = !versioned && tag === 'Long' && (value as { _bsontype?: unknown })._bsontype === 'Timestamp';
  return timestamp ? BSON_TIMESTAMP : kindOfTag.get(tag);
}

/** Methods that tell the classes of `bson` 1 apart; there the type name was in the object itself, and is not enough. */
const methodsOfFirstBson: ReadonlyMap<string, readonly string[]> = new Map([
  ['ObjectID', ['toHexString', 'getTimestamp']],
  ['Long', ['getLowBits', 'getHighBits', 'shiftRightUnsigned']],
  ['Timestamp', ['getLowBits', 'getHighBits', 'shiftRightUnsigned']],
  ['Binary', ['put', 'write', 'read']],
]);

function firstBsonKind(value: object, prototype: object): number | undefined {
  const tag = (value as { _bsontype?: unknown })._bsontype;
  if (typeof tag !== 'string') return undefined;
  const methods = methodsOfFirstBson.get(tag);
  const known = methods?.every((name) => typeof (prototype as Record<string, unknown>)[name] === 'function');
  return known ? kindOfTag.get(tag) : undefined;
}

const typedArrayName = getter(Object.getPrototypeOf(Uint8Array.prototype) as object, Symbol.toStringTag);

function getter(prototype: object, name: string | symbol): (this: unknown) => unknown {
  return Object.getOwnPropertyDescriptor(prototype, name)?.get as (this: unknown) => unknown;
}

/** A reader of an internal slot, which throws for objects that have none, of whatever realm they are. */
const slots: readonly (readonly [(this: unknown) => unknown, number])[] = [
  [Date.prototype.getTime, JS_DATE],
  [getter(RegExp.prototype, 'source'), JS_REGEXP],
  [getter(Map.prototype, 'size'), MAP],
  [getter(ArrayBuffer.prototype, 'byteLength'), BUFFER],
  [getter(Set.prototype, 'size'), REFUSED],
  [Number.prototype.valueOf, REFUSED],
  [String.prototype.valueOf, REFUSED],
  [Boolean.prototype.valueOf, REFUSED],
  [BigInt.prototype.valueOf, REFUSED],
  [Symbol.prototype.valueOf, REFUSED],
  [getter(DataView.prototype, 'byteLength'), REFUSED],
];

function builtInKind(value: object): number | undefined {
  const array = typedArrayName.call(value);
  if (array !== undefined) return array === 'Uint8Array' ? BYTES : REFUSED;
  for (const [read, kind] of slots) {
    try {
      read.call(value);
      return kind;
    } catch {
      // No such slot: another kind of object.
    }
  }
  return undefined;
}

/** Objects whose contents are not in their fields: stored as they are, they would come back empty. */
const opaque = new Set([
  'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'Promise', 'SharedArrayBuffer', 'Blob', 'File', 'FileList', 'FormData', 'Headers',
  'URL', 'URLSearchParams', 'Response', 'Request',
]);

function namedKind(value: object): number | undefined {
  const name = objectName(value);
  if (name === 'Map') return MAP;
  return opaque.has(name) || name.startsWith('Temporal.') ? REFUSED : undefined;
}

function objectName(value: object): string {
  return (Object.prototype.toString.call(value) as string).slice(8, -1);
}

/** Why an object of the kind `REFUSED` is refused, as the end of a sentence that begins with its path. */
export function refusal(value: object): string {
  const name = typeof typedArrayName.call(value) === 'string' ? String(typedArrayName.call(value)) : objectName(value);
  switch (name) {
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'BigInt':
    case 'Symbol':
      return `is a ${name} object: use the primitive value`;
    case 'Set':
      return 'is a Set: use an array';
    case 'Promise':
      return 'is a Promise: await it first';
    case 'Blob':
    case 'File':
      return `is a ${name}: store its bytes as a Uint8Array`;
    default:
      return `is a ${name}, which has no BSON type`;
  }
}
