// Random filters, projections and sorts over a given collection. Operands are taken from the documents, or near to what is
// there, so that most filters match some documents and not others.

import { decimal, double, oid, undef } from '../../conformance/values.mjs';
import { isRegex, near, scalar, value } from './values.mjs';

const TYPES = ['double', 'string', 'object', 'array', 'binData', 'objectId', 'bool', 'date', 'null', 'int', 'long', 'decimal', 'number', 'undefined', 'timestamp', 'minKey', 'maxKey', 2, 3, 4, 10, 16, 18, 1];
const LOOSE_PATHS = ['a', 'b', 'c', 'a.b', 'a.0', 'b.c', 'a.b.c', 'missing', 'a.missing', 'b.1', 'a.0.b', 'c.a.0'];

export class Asker {
  /**
   * @param {Random} random
   * @param {Map<string, unknown[]>} paths what `pathsOf` found
   * @param {unknown[]} ids the _id values of the collection
   * @param {(name: string) => void} note told each operator and trap that is used
   */
  constructor(random, paths, ids, note) {
    this.random = random;
    this.paths = paths;
    this.ids = ids;
    this.note = note;
    this.known = [...paths.keys()];
  }

  path() {
    const { random } = this;
    if (this.ids.length && random.chance(0.08)) return '_id';
    return this.known.length && random.chance(0.93) ? random.pick(this.known) : random.pick(LOOSE_PATHS);
  }

  /** Something to compare the value at `path` with; regular expressions and undefined have meanings of their own. */
  operand(path) {
    const { random } = this;
    const there = path === '_id' ? this.ids : (this.paths.get(path) ?? []);
    const roll = random.next();
    let found;
    if (there.length && roll < 0.74) found = random.pick(there);
    else if (there.length && roll < 0.9) found = near(random, random.pick(there));
    else found = value(random, 1);
    this.noteTrap(path, found);
    return isRegex(found) || found === undef ? null : found;
  }

  noteTrap(path, v) {
    const kind = v === null ? 'null' : Array.isArray(v) ? (v.length ? 'array' : 'empty array') : v instanceof Map ? (v.size ? 'document' : 'empty document') : typeof v === 'object' ? v.type : typeof v;
    this.note(`operand ${kind}`);
    if (/\.\d/.test(path)) this.note('path by position');
    else if (path.includes('.')) this.note('dotted path');
  }

  filter(depth = 2) {
    const { random } = this;
    const made = new Map();
    const clauses = random.weighted([[3, 0], [75, 1], [18, 2], [4, 3]]);
    for (let i = 0; i < clauses; i += 1) {
      if (depth > 0 && random.chance(0.18)) {
        const operator = random.weighted([[35, '$and'], [45, '$or'], [20, '$nor']]);
        this.note(operator);
        made.set(operator, random.times(random.int(1, 3), () => this.filter(depth - 1)));
      } else {
        const path = this.path();
        made.set(path, this.predicate(path));
      }
    }
    return made;
  }

  predicate(path, depth = 1) {
    const { random } = this;
    const operand = () => this.operand(path);
    const one = (name, v) => { this.note(name); return [name, v]; };
    const plain = () => {
      const v = operand();
      this.note('equality');
      return v instanceof Map && [...v.keys()].some((name) => name.startsWith('$')) ? null : v;
    };
    const ops = {
      eq: () => new Map([one('$eq', operand())]),
      ne: () => new Map([one('$ne', operand())]),
      order: () => new Map([one(random.pick(['$gt', '$gte', '$lt', '$lte']), operand())]),
      range: () => new Map([one(random.pick(['$gt', '$gte']), operand()), one(random.pick(['$lt', '$lte']), operand())]),
      in: () => new Map([one('$in', random.times(random.int(0, 4), operand))]),
      nin: () => new Map([one('$nin', random.times(random.int(0, 3), operand))]),
      exists: () => new Map([one('$exists', random.pick([true, true, false, 1, 0]))]),
      type: () => new Map([one('$type', random.chance(0.8) ? random.pick(TYPES) : random.times(random.int(1, 3), () => random.pick(TYPES)))]),
      size: () => new Map([one('$size', random.pick([0, 1, 1, 2, 2, 3, 2n, double(1)]))]),
      mod: () => new Map([one('$mod', [random.pick([2, 3, 4n, double(2.9), -2, decimal('2')]), random.pick([0, 0, 1, 1n, -1, double(1.7)])])]),
      all: () => new Map([one('$all', random.times(random.int(0, 2), operand).concat([operand()]))]),
      elem: () => new Map([one('$elemMatch', this.elemMatch(path))]),
      not: () => new Map([one('$not', this.operators(path, depth - 1))]),
    };
    return random.weighted([
      [24, plain], [5, ops.eq], [6, ops.ne], [24, ops.order], [6, ops.range], [12, ops.in], [4, ops.nin], [7, ops.exists], [7, ops.type], [3, ops.size], [3, ops.mod], [4, ops.all],
      [depth > 0 ? 6 : 0, ops.elem], [depth > 0 ? 7 : 0, ops.not],
    ])();
  }

  /** A predicate that is a document of operators. */
  operators(path, depth) {
    for (;;) {
      const found = this.predicate(path, depth);
      if (found instanceof Map && found.size && [...found.keys()][0].startsWith('$')) return found;
    }
  }

  elemMatch(path) {
    const { random } = this;
    const below = this.known.filter((name) => name.startsWith(`${path}.`)).map((name) => name.slice(path.length + 1));
    if (below.length && random.chance(0.6)) {
      return new Map(random.some(below, random.int(1, 2)).map((name) => [name, this.predicate(`${path}.${name}`, 0)]));
    }
    return this.operators(path, 0);
  }

  /** A filter that MongoDB refuses, or takes in a way one may not expect. */
  badFilter() {
    const { random } = this;
    this.note('bad filter');
    const bad = random.pick([
      { $in: 1 }, { $nin: null }, { $size: -1 }, { $size: 'x' }, { $size: double(1.5) }, { $mod: [] }, { $mod: [0, 1] }, { $mod: [1] }, { $type: 'x' }, { $type: 0 }, { $type: [] }, { $all: 1 }, { $elemMatch: 1 }, { $not: 1 }, { $not: {} },
      { $unknown: 1 }, { $gt: 1, x: 1 }, { $in: [{ $x: 1 }] }, { $all: [{ $gt: 1 }] }, { $and: [] }, { $eq: undef }, { $gt: undef }, { $mod: ['a', 0] }, { $type: double(1.5) }, { $elemMatch: [] }, { $type: null }, { $all: [{ $elemMatch: { a: 1 } }, 1] },
    ]);
    const path = this.path();
    return random.chance(0.75) ? new Map([[path, bad]]) : new Map([[random.pick(['$and', '$or', '$nor', '$bad', '$not']), random.pick([[], 1, {}, [1], [[]], null, 'x', [{ $bad: 1 }]])]]);
  }

  /** A sort; with `total` the ids make ties impossible. */
  sort(total) {
    const { random } = this;
    this.note('sort');
    const made = new Map();
    const way = () => random.pick([1, 1, -1, -1, 1n, double(-1)]);
    for (const path of random.times(random.weighted([[65, 1], [30, 2], [5, 3]]), () => this.path())) made.set(path, way());
    if (total && !made.has('_id')) made.set('_id', way());
    return made;
  }

  projection() {
    const { random } = this;
    this.note('projection');
    const made = new Map();
    const inclusion = random.chance(0.5);
    const flag = () => (inclusion ? random.pick([1, true, double(1), 1n, 5]) : random.pick([0, false, double(0), 0n]));
    if (random.chance(0.3)) made.set('_id', random.pick([0, 1, false, true]));
    const paths = random.times(random.int(1, 3), () => this.path()).filter((path) => path !== '_id' && !/(^|\.)\d+(\.|$)/.test(path) || random.chance(0.3));
    const clashes = (path) => [...made.keys()].some((other) => `${path}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${path}.`));
    for (const path of paths) if (!clashes(path) || random.chance(0.05)) made.set(path, flag());
    if (random.chance(0.04)) made.set(random.pick(LOOSE_PATHS), inclusion ? 0 : 1);
    return made;
  }

  /** An equality on _id that is there, most of the time. */
  oneId() {
    const { random } = this;
    return this.ids.length && random.chance(0.96) ? random.pick(this.ids) : random.pick([scalar(random), oid('0000000000000000000000ff'), 1000 + random.int(0, 5)]);
  }
}
