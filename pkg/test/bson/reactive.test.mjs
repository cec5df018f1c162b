// Objects of reactive libraries are encoded as what they stand for.
import { test } from 'node:test';
import { strictEqual } from 'node:assert';
import * as vue from '@vue/reactivity';
import { serialize, Binary, Decimal128, Long, ObjectId, Timestamp } from 'bson';
import * as mobx from 'mobx';
import { encode } from '../../dist/bson/encode.js';

const hex = (bytes) => Buffer.from(bytes).toString('hex');
const source = () => ({
  _id: new ObjectId('0123456789abcdef01234567'), text: 'x', list: [1, { deep: [true, null] }], nested: { at: new Date(5), re: /a/i },
  bytes: new Uint8Array([1, 2]), binary: new Binary(new Uint8Array([3]), 5), decimal: Decimal128.fromString('1.50'), long: Long.fromNumber(7),
  stamp: new Timestamp({ t: 1, i: 2 }), none: undefined,
});
const expected = (document) => hex(serialize(document, { ignoreUndefined: false }));

test('Vue: reactive, readonly and shallow proxies, maps and refs inside', () => {
  for (const wrap of [vue.reactive, vue.readonly, vue.shallowReactive]) strictEqual(hex(encode(wrap(source()))), expected(source()));
  const map = new Map([['z', { a: 1 }], ['b', 2]]);
  strictEqual(hex(encode(vue.reactive({ map }))), expected({ map: new Map([['z', { a: 1 }], ['b', 2]]) }));
});

test('MobX: observable objects, arrays and maps, deep and by class', () => {
  strictEqual(hex(encode(mobx.observable(source(), {}, { deep: true }))), expected(source()));
  const map = mobx.observable.map([['z', 1], ['b', { c: [2] }]]);
  strictEqual(hex(encode({ map })), expected({ map: new Map([['z', 1], ['b', { c: [2] }]]) }));
  class Todo {
    title = 'x';
    tags = ['a'];
    constructor() { mobx.makeAutoObservable(this); }
    get length() { return this.tags.length; }
    toggle() {}
  }
  strictEqual(hex(encode({ todo: new Todo() })), expected({ todo: { title: 'x', tags: ['a'] } }));
});
