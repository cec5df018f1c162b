// A world: a collection with random documents and indexes, and random commands on it, all from a seed and a number.

import { Asker } from './filters.mjs';
import { Random } from './random.mjs';
import { Updater } from './updates.mjs';
import { ids, pathsOf, storedDocument, value } from './values.mjs';

export const COLLECTION = 'c';
const READS_IN_A_WORLD = 26;
const WRITES_IN_A_WORLD = 12;

const INDEX_PATHS = ['a', 'b', 'c', 'a.b', 'b.c', 'a.0', 'd', 'a.b.c', 'b.a'];

function indexSpec(random, known, unique) {
  const key = new Map();
  const candidates = [...INDEX_PATHS, ...known.filter((path) => path.split('.').length <= 3)];
  // Without unique indexes no write may fail either, so no two arrays can meet in one index.
  const width = unique ? random.weighted([[50, 1], [35, 2], [15, 3]]) : 1;
  for (const path of random.some(candidates, width)) key.set(path, random.pick([1, 1, -1]));
  if (random.chance(0.1)) key.set('_id', random.pick([1, -1]));
  const name = [...key].map(([path, way]) => `${path}_${way}`).join('_');
  return new Map([['key', key], ['name', name], ...(random.chance(0.12) && unique ? [['unique', true]] : [])]);
}

class World {
  constructor(seed, number, { note, unique }) {
    this.random = new Random(seed, number);
    this.note = note;
    this.unique = unique;
    const { random } = this;
    const count = random.weighted([[3, 0], [7, 3], [40, 10], [35, 18], [15, 30]]);
    this.ids = ids(random, count);
    this.documents = this.ids.map((_id) => storedDocument(random, _id));
    this.indexed = random.chance(0.75);
    this.asker = new Asker(random, pathsOf(this.documents), this.ids, note);
    this.updater = new Updater(this.asker, this.documents);
  }

  /** Setting up is commands like all others: what it answers is compared too. */
  setUp() {
    const { random, documents } = this;
    const insert = new Map([['insert', COLLECTION], ['documents', documents], ['ordered', false]]);
    const first = documents.length ? [insert] : [new Map([['create', COLLECTION]])];
    if (!this.indexed) return first;
    const specs = random.times(random.weighted([[40, 1], [35, 2], [15, 3], [10, 5]]), () => indexSpec(random, this.asker.known, this.unique));
    const create = specs.map((spec) => new Map([['createIndexes', COLLECTION], ['indexes', [spec]]]));
    return random.chance(0.5) ? [...create, ...first] : [...first, ...create];
  }

  find() {
    const { random, asker } = this;
    const made = new Map([['find', COLLECTION], ['filter', random.chance(0.04) ? asker.badFilter() : asker.filter()]]);
    if (random.chance(0.3)) made.set('projection', asker.projection());
    const natural = random.chance(0.06);
    const sorted = !natural && random.chance(0.45);
    if (sorted) made.set('sort', asker.sort(random.chance(0.92)));
    if (natural) { made.set('hint', new Map([['$natural', 1]])); this.note('hint $natural'); }
    const total = made.get('sort')?.has('_id') || natural || !this.indexed;
    if (total && random.chance(0.35)) { made.set('skip', random.pick([0, 1, 1, 2, 3, 7, 2n])); this.note('skip'); }
    if (total && random.chance(0.35)) { made.set('limit', random.pick([0, 1, 2, 3, 5, 5n, 40])); this.note('limit'); }
    if (total && random.chance(0.25)) { made.set('batchSize', random.pick([0, 1, 2, 3, 5])); this.note('batchSize'); }
    if (total && random.chance(0.05)) { made.set('singleBatch', true); this.note('singleBatch'); }
    return made;
  }

  count() {
    const { random, asker } = this;
    const made = new Map([['count', COLLECTION], ['query', asker.filter()]]);
    if (random.chance(0.3)) made.set('skip', random.int(0, 4));
    if (random.chance(0.3)) made.set('limit', random.pick([0, 1, 3, -2]));
    return made;
  }

  remove() {
    const { random, asker } = this;
    const one = random.chance(0.6);
    const q = one ? new Map([['_id', asker.oneId()]]) : asker.filter(1);
    return new Map([['delete', COLLECTION], ['deletes', [new Map([['q', q], ['limit', one ? 1 : 0]])]]]);
  }

  insert() {
    const { random } = this;
    const documents = random.times(random.int(1, 3), () => {
      const roll = random.next();
      const _id = roll < 0.25 && this.ids.length ? random.pick(this.ids) : roll < 0.9 ? 200 + random.int(0, 60) : value(random, 1);
      return storedDocument(random, _id);
    });
    return new Map([['insert', COLLECTION], ['documents', documents], ...(random.chance(0.4) ? [['ordered', false]] : [])]);
  }

  update() {
    const { random } = this;
    const updates = random.times(random.weighted([[85, 1], [10, 2], [5, 3]]), () => this.updater.statement());
    return new Map([['update', COLLECTION], ['updates', updates], ...(random.chance(0.2) ? [['ordered', false]] : [])]);
  }

  changeIndexes() {
    const { random } = this;
    const spec = indexSpec(random, this.asker.known, this.unique);
    if (random.chance(0.7)) return new Map([['createIndexes', COLLECTION], ['indexes', [spec]]]);
    return new Map([['dropIndexes', COLLECTION], ['index', random.pick([spec.get('name'), spec.get('key'), 'a_1', 'b_1', '*'])]]);
  }

  commands() {
    const { random } = this;
    const reads = () => (random.chance(0.88) ? this.find() : this.count());
    const write = () => random.weighted([[60, () => this.update()], [15, () => this.remove()], [18, () => this.insert()], [this.indexed ? 7 : 0, () => this.changeIndexes()]])();
    const made = random.times(READS_IN_A_WORLD, reads);
    for (let i = 0; i < WRITES_IN_A_WORLD; i += 1) {
      made.push(write());
      if (random.chance(0.5)) made.push(reads());
    }
    return made;
  }
}

/**
 * All commands of world `number` of `seed`, on one collection that is not there yet.
 * `note(name)` is told what is used; `unique`: unique indexes too.
 */
export function worldOf(seed, number, { note = () => {}, unique = true } = {}) {
  const world = new World(seed, number, { note, unique });
  return [...world.setUp(), ...world.commands()];
}
