// Random updates on a given collection: paths that are there or could be, values near to those that are.

import { decimal, double, undef } from '../../conformance/values.mjs';
import { Asker } from './filters.mjs';
import { pathsOf, scalar, value } from './values.mjs';

const NEW_PATHS = ['d', 'n', 'a.n', 'b.n.m', 'a.0', 'b.1', 'a.0.n', 'c.2', 'n.0', 'a.b.c', 'c.a'];
const BAD_PATHS = ['', 'a.', '.a', 'a..b', '$a', 'a.$b', '_id', '_id.a'];

const overlaps = (one, other) => `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);

export class Updater {
  /**
   * @param {Asker} asker over the collection
   * @param {Map[]} documents the collection
   */
  constructor(asker, documents) {
    this.asker = asker;
    this.documents = documents;
    this.random = asker.random;
    this.note = asker.note;
  }

  path() {
    const { random, asker } = this;
    if (random.chance(0.02)) return random.pick(BAD_PATHS);
    const shallow = asker.known.filter((path) => path.split('.').length <= 3);
    return shallow.length && random.chance(0.7) ? random.pick(shallow) : random.pick(NEW_PATHS);
  }

  /** Paths that do not lie on one another, most of the time. */
  paths(count, used) {
    const found = [];
    for (const path of this.random.times(count, () => this.path())) {
      if ([...used, ...found].some((other) => overlaps(path, other)) && !this.random.chance(0.03)) continue;
      found.push(path);
    }
    return found;
  }

  /** Paths to take away: those that are there. */
  goingPaths(used) { return this.preferring(used, () => true); }

  operator(name, used) {
    const { random } = this;
    this.note(name);
    const operand = {
      $set: (path) => (random.chance(0.25) ? this.asker.operand(path) : value(random, 2)),
      $unset: () => random.pick([1, '', true, null]),
      $inc: () => random.pick([1, 1, 2, -1, 1n, double(0.5), double(-1.5), decimal('1.5'), decimal('1'), 2147483647, 9223372036854775807n, 0, random.chance(0.15) ? scalar(random) : 3]),
      $push: () => (random.chance(0.4) ? new Map([['$each', random.times(random.int(0, 3), () => value(random, 1))]]) : value(random, 1)),
    }[name];
    const wanted = name === '$inc' ? this.incPaths(used) : name === '$push' ? this.pushPaths(used) : name === '$unset' ? this.goingPaths(used) : this.paths(random.weighted([[70, 1], [25, 2], [5, 3]]), used);
    used.push(...wanted);
    return new Map(wanted.map((path) => [path, operand(path)]));
  }

  incPaths(used) { return this.preferring(used, (v) => typeof v === 'number' || typeof v === 'bigint' || v?.type === 'double' || v?.type === 'decimal'); }

  pushPaths(used) { return this.preferring(used, Array.isArray); }

  /** One or two paths at which there is, somewhere, a value of the kind the operator wants. */
  preferring(used, fits) {
    const { random, asker } = this;
    const good = asker.known.filter((path) => asker.paths.get(path).some(fits) && path.split('.').length <= 3);
    const chosen = random.times(random.weighted([[80, 1], [20, 2]]), () => (good.length && random.chance(0.85) ? random.pick(good) : this.path()));
    const found = [];
    for (const path of chosen) if (![...used, ...found].some((other) => overlaps(path, other))) found.push(path);
    return found;
  }

  modifiers() {
    const { random } = this;
    const made = new Map();
    const used = [];
    const names = random.some(['$set', '$set', '$inc', '$push', '$unset'], random.weighted([[72, 1], [22, 2], [6, 3]]));
    for (const name of new Set(names)) {
      const operand = this.operator(name, used);
      if (operand.size || random.chance(0.05)) made.set(name, operand);
    }
    return made.size ? made : new Map([['$set', new Map([['d', value(random, 1)]])]]);
  }

  replacement() {
    const { random } = this;
    this.note('replacement');
    const made = new Map();
    for (const name of random.some(['a', 'b', 'c', 'd', 'é'], random.int(0, 4))) made.set(name, value(random, 2));
    if (random.chance(0.02)) made.set('$x', 1);
    return made;
  }

  badUpdate() {
    const { random } = this;
    this.note('bad update');
    const path = this.path();
    return random.pick([
      { $bad: { a: 1 } }, { $set: 1 }, { $set: { a: 1, 'a.b': 1 } }, { $set: { a: 1 }, $unset: { a: 1 } }, { $inc: { [path || 'a']: 'x' } }, { $inc: { [path || 'a']: null } }, { $push: { a: { $each: 1 } } }, { $push: { a: { $bad: 1 } } }, { $set: { a: 1 }, b: 1 }, { a: 1, $set: { b: 1 } }, { $set: { _id: 12345 } }, { $unset: { _id: 1 } }, { $inc: { _id: 1 } }, { $set: undef }, { $push: null }, { $: 1 }, { $set: { '': 1 } }, { $inc: { 'a.$b': 1 } },
    ]);
  }

  /** One statement of an update command. */
  statement() {
    const { random, asker } = this;
    const roll = random.next();
    const upsert = random.chance(0.15);
    if (upsert) this.note('upsert');
    const more = upsert ? [['upsert', true]] : [];
    if (roll < 0.35) {
      this.note('multi');
      const q = random.chance(0.35) ? new Map() : asker.filter(1);
      return new Map([['q', q], ['u', random.chance(0.97) ? this.modifiers() : this.replacement()], ['multi', true], ...more]);
    }
    if (this.documents.length && random.chance(0.9)) return this.onDocument(random.pick(this.documents), roll, more);
    return new Map([['q', new Map([['_id', asker.oneId()]])], ['u', this.change(roll)], ...more]);
  }

  /** A statement for one document, about paths that it has. */
  onDocument(document, roll, more) {
    const { random } = this;
    const own = new Asker(random, pathsOf([document]), this.asker.ids, this.note);
    const q = new Map([['_id', document.get('_id')]]);
    const path = own.path();
    if (path !== '_id' && random.chance(0.12)) q.set(path, own.operand(path));
    return new Map([['q', q], ['u', new Updater(own, this.documents).change(roll)], ...more]);
  }

  change(roll) {
    if (roll < 0.42) return this.badUpdate();
    return roll < 0.6 ? this.replacement() : this.modifiers();
  }
}
