// BSON values for tests: bytes <-> values <-> canonical Extended JSON, all three without losing anything.
//
// It stands apart from the codec of the package and from the official `bson` on purpose: what is compared must not have
// gone through the code under test, and JavaScript objects reorder fields whose names look like numbers.
//
// The value of          is here
//   document              Map (plain objects are accepted when encoding)
//   array                 Array
//   int / long            number / bigint (an integral number outside int32, and any fraction, encodes as double)
//   string, bool, null    themselves
//   everything else       Tagged(type, value), see `TAGS`
//
// Invariants
//   1. decode(encode(v)) and fromEjson(toEjson(v)) keep type, value and field order; of doubles every bit but NaN payloads.
//   2. Malformed bytes and malformed text throw; nothing is guessed.
// Absent: duplicate field names inside one document (the last one wins when decoding).

import { Decimal128 } from 'bson';

export class Tagged {
  constructor(type, value) { this.type = type; this.value = value; }
}
const tag = (type) => (value) => new Tagged(type, value);
export const double = tag('double');
export const decimal = tag('decimal'); //     string, as Decimal128 prints it
export const oid = tag('objectId'); //        24 hex digits
export const date = (ms) => new Tagged('date', BigInt(ms));
export const timestamp = (t, i) => new Tagged('timestamp', { t, i });
export const binary = (base64, subType = 0) => new Tagged('binary', { base64, subType });
export const regex = (pattern, options = '') => new Tagged('regex', { pattern, options });
export const code = tag('code');
export const codeWithScope = (text, scope) => new Tagged('codeWithScope', { text, scope });
export const symbol = tag('symbol');
export const dbPointer = (ns, id) => new Tagged('dbPointer', { ns, id });
export const undef = new Tagged('undefined', true);
export const minKey = new Tagged('minKey', 1);
export const maxKey = new Tagged('maxKey', 1);
/** A document from pairs: for field names that a plain object would reorder ("0", "1"). */
export const doc = (...pairs) => new Map(pairs);

const utf8 = new TextEncoder();
const text = new TextDecoder('utf-8', { ignoreBOM: true });

// ---------------------------------------------------------------------------------------------- encoding

class Writer {
  constructor() { this.bytes = new Uint8Array(256); this.length = 0; this.view = new DataView(this.bytes.buffer); }
  room(count) {
    if (this.length + count <= this.bytes.length) return;
    const bigger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    bigger.set(this.bytes);
    this.bytes = bigger;
    this.view = new DataView(bigger.buffer);
  }
  byte(v) { this.room(1); this.bytes[this.length++] = v; }
  int32(v) { this.room(4); this.view.setInt32(this.length, v, true); this.length += 4; }
  uint32(v) { this.int32(v | 0); }
  int64(v) { this.room(8); this.view.setBigInt64(this.length, v, true); this.length += 8; }
  float64(v) { this.room(8); this.view.setFloat64(this.length, v, true); this.length += 8; }
  raw(bytes) { this.room(bytes.length); this.bytes.set(bytes, this.length); this.length += bytes.length; }
  cstring(v) { this.raw(utf8.encode(v)); this.byte(0); }
  string(v) { const b = utf8.encode(v); this.int32(b.length + 1); this.raw(b); this.byte(0); }
  sized(body) {
    const start = this.length;
    this.int32(0);
    body();
    this.view.setInt32(start, this.length - start, true);
  }
  document(entries) {
    this.sized(() => {
      for (const [name, value] of entries) this.element(name, value);
      this.byte(0);
    });
  }
  element(name, value) {
    const at = this.length;
    this.byte(0);
    this.cstring(name);
    const type = this.value(value);
    this.bytes[at] = type;
  }
  value(v) {
    if (v === null) return 0x0a;
    switch (typeof v) {
      case 'string': this.string(v); return 0x02;
      case 'boolean': this.byte(v ? 1 : 0); return 0x08;
      case 'bigint': this.int64(v); return 0x12;
      case 'number':
        if (Number.isInteger(v) && v === (v | 0) && !Object.is(v, -0)) { this.int32(v); return 0x10; }
        this.float64(v);
        return 0x01;
      default:
    }
    if (v instanceof Tagged) return this.tagged(v);
    if (Array.isArray(v)) { this.document(v.map((item, i) => [String(i), item])); return 0x04; }
    if (v instanceof Map) { this.document(v); return 0x03; }
    if (typeof v === 'object') { this.document(Object.entries(v)); return 0x03; }
    throw new TypeError(`no BSON for ${typeof v}`);
  }
  tagged({ type, value: v }) {
    switch (type) {
      case 'double': this.float64(v); return 0x01;
      case 'binary': {
        const bytes = fromBase64(v.base64);
        const inner = v.subType === 2 ? 4 : 0; // the old binary subtype carries its length twice
        this.int32(bytes.length + inner);
        this.byte(v.subType);
        if (inner) this.int32(bytes.length);
        this.raw(bytes);
        return 0x05;
      }
      case 'undefined': return 0x06;
      case 'objectId': this.raw(fromHex(v)); return 0x07;
      case 'date': this.int64(v); return 0x09;
      case 'regex': this.cstring(v.pattern); this.cstring(v.options); return 0x0b;
      case 'dbPointer': this.string(v.ns); this.raw(fromHex(v.id)); return 0x0c;
      case 'code': this.string(v); return 0x0d;
      case 'symbol': this.string(v); return 0x0e;
      case 'codeWithScope':
        this.sized(() => { this.string(v.text); this.document(fieldsOf(v.scope)); });
        return 0x0f;
      case 'timestamp': this.uint32(v.i); this.uint32(v.t); return 0x11;
      case 'decimal': this.raw(Decimal128.fromString(v).bytes); return 0x13;
      case 'minKey': return 0xff;
      case 'maxKey': return 0x7f;
      default: throw new TypeError(`no BSON for tag ${type}`);
    }
  }
}

export const fieldsOf = (document) => (document instanceof Map ? document : new Map(Object.entries(document)));

/** BSON bytes of a document. */
export function encode(document) {
  const writer = new Writer();
  writer.document(fieldsOf(document));
  return writer.bytes.slice(0, writer.length);
}

// ---------------------------------------------------------------------------------------------- decoding

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  take(count) {
    if (count < 0 || this.at + count > this.bytes.length) throw new Error(`BSON ends early at ${this.at}`);
    const start = this.at;
    this.at += count;
    return start;
  }
  byte() { return this.bytes[this.take(1)]; }
  int32() { return this.view.getInt32(this.take(4), true); }
  uint32() { return this.view.getUint32(this.take(4), true); }
  int64() { return this.view.getBigInt64(this.take(8), true); }
  raw(count) { const start = this.take(count); return this.bytes.subarray(start, start + count); }
  cstring() {
    const end = this.bytes.indexOf(0, this.at);
    if (end < 0) throw new Error(`BSON name without end at ${this.at}`);
    const found = text.decode(this.bytes.subarray(this.at, end));
    this.at = end + 1;
    return found;
  }
  string() {
    const count = this.int32();
    const found = text.decode(this.raw(count - 1));
    if (this.byte() !== 0) throw new Error(`BSON string without end at ${this.at}`);
    return found;
  }
  document(asArray) {
    const start = this.at;
    const end = start + this.int32();
    const found = asArray ? [] : new Map();
    for (;;) {
      const type = this.byte();
      if (type === 0) break;
      const name = this.cstring();
      const value = this.value(type);
      if (asArray) found.push(value);
      else found.set(name, value);
    }
    if (this.at !== end) throw new Error(`BSON document at ${start} says it ends at ${end}, ends at ${this.at}`);
    return found;
  }
  value(type) {
    switch (type) {
      case 0x01: return double(this.view.getFloat64(this.take(8), true));
      case 0x02: return this.string();
      case 0x03: return this.document(false);
      case 0x04: return this.document(true);
      case 0x05: {
        let count = this.int32();
        const subType = this.byte();
        if (subType === 2) count = this.int32();
        return binary(toBase64(this.raw(count)), subType);
      }
      case 0x06: return undef;
      case 0x07: return oid(toHex(this.raw(12)));
      case 0x08: return this.byte() === 1;
      case 0x09: return date(this.int64());
      case 0x0a: return null;
      case 0x0b: return regex(this.cstring(), this.cstring());
      case 0x0c: return dbPointer(this.string(), toHex(this.raw(12)));
      case 0x0d: return code(this.string());
      case 0x0e: return symbol(this.string());
      case 0x0f: this.int32(); return codeWithScope(this.string(), this.document(false));
      case 0x10: return this.int32();
      case 0x11: { const i = this.uint32(); return timestamp(this.uint32(), i); }
      case 0x12: return this.int64();
      case 0x13: return decimal(new Decimal128(this.raw(16).slice()).toString());
      case 0xff: return minKey;
      case 0x7f: return maxKey;
      default: throw new Error(`BSON type 0x${type.toString(16)} at ${this.at}`);
    }
  }
}

/** The document in BSON bytes, as a Map. */
export function decode(bytes) {
  const reader = new Reader(bytes);
  const found = reader.document(false);
  if (reader.at !== bytes.length) throw new Error(`${bytes.length - reader.at} bytes after the BSON document`);
  return found;
}

// ---------------------------------------------------------------------------------------------- Extended JSON

const numberText = (v) => {
  if (Object.is(v, -0)) return '-0.0';
  if (!Number.isFinite(v)) return Number.isNaN(v) ? 'NaN' : v > 0 ? 'Infinity' : '-Infinity';
  return Number.isInteger(v) && Math.abs(v) < 1e21 ? `${v}.0` : String(v);
};

/** Canonical Extended JSON on one line. */
export function toEjson(v) {
  if (v === null || typeof v === 'boolean' || typeof v === 'string') return JSON.stringify(v);
  if (typeof v === 'bigint') return `{"$numberLong":"${v}"}`;
  if (typeof v === 'number') {
    const isInt32 = v === (v | 0) && !Object.is(v, -0);
    return isInt32 ? `{"$numberInt":"${v}"}` : `{"$numberDouble":"${numberText(v)}"}`;
  }
  if (Array.isArray(v)) return `[${v.map(toEjson).join(',')}]`;
  if (!(v instanceof Tagged)) {
    return `{${[...fieldsOf(v)].map(([name, item]) => `${JSON.stringify(name)}:${toEjson(item)}`).join(',')}}`;
  }
  const { type, value } = v;
  const quote = JSON.stringify;
  switch (type) {
    case 'double': return `{"$numberDouble":"${numberText(value)}"}`;
    case 'decimal': return `{"$numberDecimal":"${value}"}`;
    case 'objectId': return `{"$oid":"${value}"}`;
    case 'date': return `{"$date":{"$numberLong":"${value}"}}`;
    case 'timestamp': return `{"$timestamp":{"t":${value.t},"i":${value.i}}}`;
    case 'binary':
      return `{"$binary":{"base64":"${value.base64}","subType":"${value.subType.toString(16).padStart(2, '0')}"}}`;
    case 'regex': return `{"$regularExpression":{"pattern":${quote(value.pattern)},"options":${quote(value.options)}}}`;
    case 'code': return `{"$code":${quote(value)}}`;
    case 'codeWithScope': return `{"$code":${quote(value.text)},"$scope":${toEjson(value.scope)}}`;
    case 'symbol': return `{"$symbol":${quote(value)}}`;
    case 'dbPointer': return `{"$dbPointer":{"$ref":${quote(value.ns)},"$id":{"$oid":"${value.id}"}}}`;
    case 'undefined': return '{"$undefined":true}';
    case 'minKey': return '{"$minKey":1}';
    case 'maxKey': return '{"$maxKey":1}';
    default: throw new TypeError(`no Extended JSON for tag ${type}`);
  }
}

const plain = (v) => (v instanceof Tagged && v.type === 'double' ? v.value : v);
/** What stands behind each `$name` of canonical Extended JSON, by first field name: [exact field count, reader]. */
const WRAPPERS = {
  $numberInt: [1, (v) => Number(v)],
  $numberLong: [1, (v) => BigInt(v)],
  $numberDouble: [1, (v) => double(Number(v))],
  $numberDecimal: [1, (v) => decimal(v)],
  $oid: [1, (v) => oid(v)],
  $date: [1, (v) => date(v)],
  $timestamp: [1, (v) => timestamp(plain(v.get('t')), plain(v.get('i')))],
  $binary: [1, (v) => binary(v.get('base64'), parseInt(v.get('subType'), 16))],
  $regularExpression: [1, (v) => regex(v.get('pattern'), v.get('options'))],
  $symbol: [1, (v) => symbol(v)],
  $dbPointer: [1, (v) => dbPointer(v.get('$ref'), v.get('$id').value)],
  $undefined: [1, () => undef],
  $minKey: [1, () => minKey],
  $maxKey: [1, () => maxKey],
};

function unwrap(map) {
  const [first] = map.keys();
  if (first === undefined || first[0] !== '$') return map;
  if (first === '$code' && map.size <= 2) {
    return map.has('$scope') ? codeWithScope(map.get('$code'), map.get('$scope')) : code(map.get('$code'));
  }
  const wrapper = Object.hasOwn(WRAPPERS, first) ? WRAPPERS[first] : undefined;
  return wrapper && map.size === wrapper[0] ? wrapper[1](map.get(first)) : map;
}

/** Reads Extended JSON, keeping the order of fields. A bare JSON number is an int32 if it can be one, else a double. */
export function fromEjson(source) {
  let at = 0;
  const fail = (what) => { throw new SyntaxError(`Extended JSON: ${what} at ${at}`); };
  const token = /[ \t\r\n]*([{}[\]:,]|"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null)/y;
  const next = () => {
    token.lastIndex = at;
    const match = token.exec(source);
    if (!match) fail('unexpected text');
    at = token.lastIndex;
    return match[1];
  };
  const peek = () => { const before = at; const found = next(); at = before; return found; };
  const list = (close, item) => {
    if (peek() === close) { next(); return; }
    for (;;) {
      item();
      const sign = next();
      if (sign === close) return;
      if (sign !== ',') fail(`'${sign}' where , or ${close} should be`);
    }
  };
  const value = () => {
    const found = next();
    if (found === '{') {
      const map = new Map();
      list('}', () => {
        const name = JSON.parse(next());
        if (next() !== ':') fail('no colon');
        map.set(name, value());
      });
      return unwrap(map);
    }
    if (found === '[') {
      const items = [];
      list(']', () => items.push(value()));
      return items;
    }
    if ('}]:,'.includes(found)) fail(`'${found}'`);
    const read = JSON.parse(found);
    return typeof read === 'number' && !(read === (read | 0) && !Object.is(read, -0)) ? double(read) : read;
  };
  const found = value();
  if (source.slice(at).trim() !== '') fail('text after the value');
  return found;
}

// ---------------------------------------------------------------------------------------------- bytes

const toHex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const toBase64 = (bytes) => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''));
const fromBase64 = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
