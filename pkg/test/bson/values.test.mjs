// What is accepted, what is refused and with which path, and what foreign code may do while a document is written.
import { test } from 'node:test';
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import vm from 'node:vm';
import * as bson from 'bson';
import bson1 from 'bson1';
import * as bson4 from 'bson4';
import * as bson5 from 'bson5';
import * as bson6 from 'bson6';
import { decode } from '../../dist/bson/decode.js';
import { encode, Encoder, EncodeError } from '../../dist/bson/encode.js';
import { ByteTarget } from '../../dist/bson/target.js';

const hex = (bytes) => Buffer.from(bytes).toString('hex');
const theirs = (document) => hex(bson.serialize(document, { ignoreUndefined: false }));
const ours = (document, options) => hex(encode(document, options));

const refused = {
  'an Invalid Date': [new Date(NaN), /Invalid Date/],
  'a BigInt above int64': [2n ** 63n, /outside of int64/],
  'a BigInt below int64': [-(2n ** 63n) - 1n, /outside of int64/],
  'a boxed number': [new Number(1), /Number object/],
  'a boxed string': [new String('a'), /String object/],
  'a boxed boolean': [new Boolean(true), /Boolean object/],
  'a boxed BigInt': [Object(1n), /BigInt object/],
  'a Set': [new Set([1]), /Set: use an array/],
  'a WeakMap': [new WeakMap(), /WeakMap/],
  'a promise': [Promise.resolve(1), /await it/],
  'a Float32Array': [new Float32Array(2), /Float32Array/],
  'a BigInt64Array': [new BigInt64Array(1), /BigInt64Array/],
  'a Uint8ClampedArray': [new Uint8ClampedArray(1), /Uint8ClampedArray/],
  'a DataView': [new DataView(new ArrayBuffer(1)), /DataView/],
  'a function': [() => 1, /function/],
  'a class': [class A {}, /function/],
  'a symbol': [Symbol('s'), /symbol/],
  'a Blob': [new Blob(['a']), /bytes as a Uint8Array/],
  'a pattern with a NUL': [new RegExp('a\0b'), /NUL/],
  'a sticky pattern': [/a/y, /flag y/],
  'a name with a NUL': [{ 'a\0b': 1 }, /NUL/],
  'a Map with a number as key': [new Map([[1, 2]]), /key that is not a string/],
  'a Set of another realm': [vm.runInNewContext('new Set()'), /Set/],
  'an Invalid Date of another realm': [vm.runInNewContext('new Date(NaN)'), /Invalid Date/],
  'a boxed number of another realm': [vm.runInNewContext('new Number(1)'), /Number object/],
  'a Float64Array of another realm': [vm.runInNewContext('new Float64Array(1)'), /Float64Array/],
};
for (const [title, [value, reason]] of Object.entries(refused)) {
  test(`refused with its path: ${title}`, () => {
    throws(() => encode({ ok: 1, list: [0, { bad: value }] }), (error) => {
      ok(error instanceof EncodeError && error instanceof bson.BSONError);
      ok(error.path.startsWith('list.1.bad'), error.path);
      ok(reason.test(error.message), error.message);
      return true;
    });
  });
}

test('cycles and depth are refused', () => {
  const cycle = { a: [{}] };
  cycle.a[0].b = cycle;
  throws(() => encode(cycle), (error) => error.path === 'a.0.b' && /contains itself/.test(error.message));
  const shared = { x: 1 };
  strictEqual(ours({ a: shared, b: [shared, shared] }), theirs({ a: shared, b: [shared, shared] }));
  let deep = {};
  for (let level = 0; level < 300; level++) deep = { deep };
  throws(() => encode(deep), /deeper than 220/);
  const endless = { toBSON: () => ({ next: endless }) };
  throws(() => encode({ endless }), /deeper than 220|contains itself/);
});

test('what is not a document is refused as one', () => {
  for (const value of [null, undefined, 1, 'a', [], new Date(), new Uint8Array(1), new bson.ObjectId(), new Set()]) {
    throws(() => encode(value), EncodeError);
  }
});

test('undefined becomes null, or is left out if so asked; in arrays it is always null', () => {
  const document = { a: undefined, b: [undefined, , 1], c: 1 };
  deepStrictEqual(decode(encode(document)), { a: null, b: [null, null, 1], c: 1 });
  deepStrictEqual(decode(encode(document, { ignoreUndefined: true })), { b: [null, null, 1], c: 1 });
});

test('a _bsontype in the data itself says nothing', () => {
  const attack = JSON.parse('{"_bsontype":"ObjectId","id":"x"}');
  deepStrictEqual(decode(encode({ attack })), { attack });
  const inClass = Object.assign(new (class User {})(), JSON.parse('{"_bsontype":"Code","code":"x"}'));
  deepStrictEqual(decode(encode({ inClass })), { inClass: { _bsontype: 'Code', code: 'x' } });
});

test('classes of every major version of bson are recognised', () => {
  const id = '0123456789abcdef01234567';
  for (const copy of [bson4, bson5, bson6]) {
    const Id = copy.ObjectId ?? copy.ObjectID;
    const document = (of, IdClass, SymbolClass) => ({
      id: new IdClass(id), long: of.Long.fromString('-9007199254740995'), dec: of.Decimal128.fromString('1.10'), int: new of.Int32(5),
      double: new of.Double(5), bin: new of.Binary(Buffer.from('abc'), 5), ts: new of.Timestamp({ t: 7, i: 9 }), code: new of.Code('x', { a: 1 }),
      re: new of.BSONRegExp('a', 'im'), sym: new SymbolClass('s'), min: new of.MinKey(), max: new of.MaxKey(),
      ref: new of.DBRef('c', new IdClass(id), 'db'), uuid: new of.UUID('01234567-89ab-4def-8123-456789abcdef'),
    });
    strictEqual(ours(document(copy, Id, copy.BSONSymbol)), theirs(document(bson, bson.ObjectId, bson.BSONSymbol)));
  }
  strictEqual(
    ours({ id: new bson1.ObjectID(id), l: bson1.Long.fromNumber(7), b: new bson1.Binary(Buffer.from('abc'), 0) }),
    theirs({ id: new bson.ObjectId(id), l: bson.Long.fromNumber(7), b: new bson.Binary(Buffer.from('abc'), 0) }),
  );
});

test('objects of other realms are what they are here', () => {
  const foreign = vm.runInNewContext(`({
    date: new Date(5), re: /a/im, bytes: new Uint8Array([1, 2]), map: new Map([['z', 1], ['a', 2]]), list: [1, [2]], nested: { x: null },
    bare: Object.create(null, { y: { value: 1, enumerable: true } }), instance: new (class A { constructor() { this.f = 1; } })(),
  })`);
  const local = {
    date: new Date(5), re: /a/im, bytes: new Uint8Array([1, 2]), map: new Map([['z', 1], ['a', 2]]), list: [1, [2]], nested: { x: null },
    bare: { y: 1 }, instance: { f: 1 },
  };
  strictEqual(ours(foreign), theirs(local));
  strictEqual(ours({ b: vm.runInNewContext('new Uint8Array([7, 8]).buffer') }), theirs({ b: new Uint8Array([7, 8]) }));
});

test('ArrayBuffer is binary', () => {
  strictEqual(ours({ b: new Uint8Array([7, 8]).buffer }), theirs({ b: new Uint8Array([7, 8]) }));
});

test('proxies and class instances are their fields', () => {
  const reactive = (value) => typeof value === 'object' && value !== null && !(value instanceof Date) && !(value instanceof Uint8Array)
    ? new Proxy(value, { get: (target, key, self) => reactive(Reflect.get(target, key, self)) })
    : value;
  const id = new bson.ObjectId();
  const source = { a: [1, { b: 'x' }], id, at: new Date(1), bin: new bson.Binary(new Uint8Array([1]), 0), dec: bson.Decimal128.fromString('1') };
  strictEqual(ours(reactive(source)), theirs(source));
  class Point {
    #hidden = 1;
    constructor() { this.x = this.#hidden; }
    get y() { return 2; }
    method() {}
  }
  strictEqual(ours({ p: new Point() }), theirs({ p: { x: 1 } }));
});

test('toBSON is called, on values and on the document', () => {
  class Money { constructor(value) { this.value = value; } toBSON() { return bson.Decimal128.fromString(this.value); } }
  class Wrapped { toBSON() { return { w: new Money('2.50'), none: undefined }; } }
  const document = { m: new Money('1.10'), w: new Wrapped(), list: [new Wrapped()] };
  strictEqual(ours(document), theirs(document));
  strictEqual(ours(new Wrapped()), theirs(new Wrapped()));
  strictEqual(ours({ a: { toBSON: () => 'text' } }), theirs({ a: { toBSON: () => 'text' } }));
  throws(() => encode({ a: { toBSON: () => Symbol('x') } }), /symbol/);
});

test('functions are stored as code only if so asked', () => {
  const document = { f: function add(a, b) { return a + b; } };
  strictEqual(ours(document, { serializeFunctions: true }), hex(bson.serialize(document, { serializeFunctions: true })));
});

test('lone surrogates become U+FFFD in names and texts, short and long', () => {
  const lone = 'a\ud800b\udc00';
  const document = { [lone]: lone, long: lone.repeat(50), end: '\ud83d', pair: '😀', list: [`${'x'.repeat(63)}\ud83d`, `${'x'.repeat(64)}\ud83d`] };
  deepStrictEqual(decode(encode(document)), {
    'a\ufffdb\ufffd': 'a\ufffdb\ufffd', long: 'a\ufffdb\ufffd'.repeat(50), end: '\ufffd', pair: '😀',
    list: [`${'x'.repeat(63)}\ufffd`, `${'x'.repeat(64)}\ufffd`],
  });
  strictEqual(ours({ c: new bson.Code(lone), s: new bson.BSONSymbol(lone), r: /\ud800/ }), theirs({ c: new bson.Code(lone), s: new bson.BSONSymbol(lone), r: /\ud800/ }));
});

test('more names than the memory of names holds are still right', () => {
  const document = {};
  for (let index = 0; index < 20000; index++) document[`name${index}`] = index;
  deepStrictEqual(decode(encode(document)), document);
  strictEqual(ours(document), theirs(document));
});

/** Memory like WebAssembly's: every growth moves it and detaches the views of before. */
class MovingTarget extends ByteTarget {
  moves = 0;
  constructor() {
    super();
    this.#place(new Uint8Array(64));
  }
  #place(fresh) {
    this.bytes = fresh;
    this.view = new DataView(fresh.buffer);
    this.start = 32;
    this.end = fresh.length;
  }
  move(size = this.bytes.length) {
    const old = this.bytes;
    const fresh = new Uint8Array(size);
    fresh.set(old.subarray(0, size));
    this.#place(fresh);
    structuredClone(null, { transfer: [old.buffer] });
    this.moves++;
  }
  reserve(used, size) {
    if (this.start + size > this.end) this.move(this.start + size);
  }
}

test('memory that moves while foreign code runs does no harm', () => {
  const target = new MovingTarget();
  class Moving {
    #kept;
    constructor(kept) { this.#kept = kept; }
    toBSON() {
      const kept = this.#kept;
      target.move();
      return { get value() { target.move(); return kept; }, end: 1 };
    }
  }
  const moving = (value) => new Moving(value);
  const document = () => ({
    a: moving(1), b: moving('text'), c: moving([1, 2]), d: moving({ x: 1 }), e: moving(new Date(3)), big: moving('é'.repeat(5000)), f: moving(undefined),
    map: new Map([['k', moving(new bson.ObjectId('0123456789abcdef01234567'))]]), g: moving(new Uint8Array(3000)), h: moving(/a/i), last: moving(undefined),
  });
  const encoder = new Encoder();
  encoder.begin(target, { ignoreUndefined: true });
  encoder.document(document());
  strictEqual(hex(encoder.copyFrom(0)), hex(encode(document(), { ignoreUndefined: true })));
  ok(target.moves > 20);
});

test('an encoder is usable again after an error', () => {
  const target = new MovingTarget();
  const encoder = new Encoder();
  encoder.begin(target);
  throws(() => encoder.document({ a: { b: { c: Symbol('x') } } }), EncodeError);
  encoder.begin(target);
  encoder.document({ a: 1 });
  strictEqual(hex(encoder.copyFrom(0)), theirs({ a: 1 }));
});
