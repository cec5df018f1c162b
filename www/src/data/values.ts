/** What the page shows of a value: its type by MongoDB's name, and a text. */
import { BSON, Double, Int32, Long } from 'pandodb';
import type { Binary, BSONRegExp, Code, Decimal128, ObjectId, Timestamp } from 'pandodb';

export type TypeName =
  | 'double' | 'string' | 'object' | 'array' | 'binData' | 'undefined' | 'objectId' | 'bool' | 'date' | 'null' | 'regex' | 'dbPointer'
  | 'javascript' | 'symbol' | 'int' | 'timestamp' | 'long' | 'decimal' | 'minKey' | 'maxKey';

const BY_CLASS: Record<string, TypeName> = {
  ObjectId: 'objectId', Int32: 'int', Double: 'double', Long: 'long', Decimal128: 'decimal', Binary: 'binData', UUID: 'binData',
  BSONRegExp: 'regex', Code: 'javascript', BSONSymbol: 'symbol', Timestamp: 'timestamp', MinKey: 'minKey', MaxKey: 'maxKey', DBRef: 'object',
};

/** The class of BSON that `value` is of: a document may have a field `_bsontype` of its own, so only an inherited one counts. */
function bsonClass(value: object): string | undefined {
  if (Object.hasOwn(value, '_bsontype')) return undefined;
  const name = (value as { _bsontype?: unknown })._bsontype;
  return typeof name === 'string' ? name : undefined;
}

export function typeOf(value: unknown): TypeName {
  if (value === null) return 'null';
  if (value === undefined) return 'undefined';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'long';
  if (typeof value === 'number') return Number.isInteger(value) && value === (value | 0) && !Object.is(value, -0) ? 'int' : 'double';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (value instanceof RegExp) return 'regex';
  if (value instanceof Uint8Array) return 'binData';
  if (typeof value !== 'object') return 'undefined';
  const name = bsonClass(value);
  return name === undefined ? 'object' : (BY_CLASS[name] ?? 'object');
}

/** Whether the value has values inside that the page can open. */
export function isOpenable(value: unknown): value is Record<string, unknown> | unknown[] {
  const type = typeOf(value);
  return type === 'array' || (type === 'object' && bsonClass(value as object) === undefined);
}

function double(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value);
}

function numberText(value: unknown): string {
  if (value instanceof Int32) return String(value.value);
  if (value instanceof Double) return double(value.value);
  if (Long.isLong(value)) return value.toString();
  return typeof value === 'number' && typeOf(value) === 'double' ? double(value) : String(value);
}

function dateText(value: Date): string {
  // Dates of BSON reach further than the years that ISO 8601 writes with four digits, but Date cannot hold all of them.
  return Number.isNaN(value.getTime()) ? 'a date that JavaScript cannot show' : value.toISOString();
}

function binaryText(value: unknown): string {
  const binary = value as Binary;
  if (binary.sub_type === 4 && binary.length() === 16) return `UUID("${binary.toUUID().toHexString()}")`;
  const bytes = value instanceof Uint8Array ? value.length : binary.length();
  return `${bytes} bytes, subtype ${value instanceof Uint8Array ? 0 : binary.sub_type}`;
}

/** A value without parts as one line of text; texts come without quotes. */
export function textOf(value: unknown): string {
  switch (typeOf(value)) {
    case 'string': return value as string;
    case 'int':
    case 'long':
    case 'double': return numberText(value);
    case 'decimal': return (value as Decimal128).toString();
    case 'bool': return String(value);
    case 'null': return 'null';
    case 'undefined': return 'undefined';
    case 'date': return dateText(value as Date);
    case 'objectId': return (value as ObjectId).toHexString();
    case 'regex': return value instanceof RegExp ? String(value) : `/${(value as BSONRegExp).pattern}/${(value as BSONRegExp).options}`;
    case 'binData': return binaryText(value);
    case 'javascript': return String((value as Code).code);
    case 'timestamp': return `${(value as Timestamp).getHighBitsUnsigned()}, ${(value as Timestamp).getLowBitsUnsigned()}`;
    case 'minKey': return 'MinKey';
    case 'maxKey': return 'MaxKey';
    default: return BSON.EJSON.stringify(value as object);
  }
}

/** What stands in the place of the parts of a closed value. */
export function summaryOf(value: Record<string, unknown> | unknown[]): string {
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  const what = Array.isArray(value) ? 'element' : 'field';
  return count === 1 ? `1 ${what}` : `${count.toLocaleString('en')} ${what}s`;
}

/** `{ "a.b": 1, c: -1 }`: a document of plain values on one line, as index keys and bounds are shown. */
export function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (isOpenable(value)) {
    const parts = Object.entries(value).map(([name, part]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${oneLine(part)}`);
    return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
  }
  const type = typeOf(value);
  if (type === 'string') return JSON.stringify(value);
  // In a line of a plan the difference between 1 and 1.0 is of no interest.
  if (type === 'double' || type === 'int') return String(Number(value));
  if (type === 'date') return `ISODate("${textOf(value)}")`;
  if (type === 'objectId') return `ObjectId("${textOf(value)}")`;
  return textOf(value);
}
