// What a run of the differential has covered: a generator that asks only what is easy proves nothing.

const FILTERS_MIN = 0.4;
const UPDATES_MIN = 0.6;
/** Below this many, a share is luck. */
const ENOUGH = 300;

const percent = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)} %` : 'none');

export class Coverage {
  #uses = new Map();
  commands = new Map();
  errors = 0;
  filters = { all: 0, some: 0 };
  updates = { all: 0, changing: 0 };

  note = (name) => this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);

  /** A command that was compared. `count`: documents in the collection before it. */
  compared(command, reply, count) {
    const [name] = command.keys();
    this.commands.set(name, (this.commands.get(name) ?? 0) + 1);
    if (!(reply.get('ok')?.value === 1)) { this.errors += 1; return; }
    if (name === 'find') this.#filter(command, reply, count);
    if (name === 'update') this.#update(command, reply);
  }

  #filter(command, reply, count) {
    const whole = !['skip', 'limit', 'batchSize', 'singleBatch'].some((field) => command.has(field));
    if (!whole || count === 0 || !(command.get('filter') instanceof Map) || command.get('filter').size === 0) return;
    const matched = reply.get('cursor').get('firstBatch').length;
    this.filters.all += 1;
    if (matched > 0 && matched < count) this.filters.some += 1;
  }

  #update(command, reply) {
    if (reply.has('writeErrors')) return;
    this.updates.all += 1;
    if (reply.get('nModified') > 0 || reply.has('upserted')) this.updates.changing += 1;
  }

  get total() { return [...this.commands.values()].reduce((sum, n) => sum + n, 0); }

  /** Complaints about shares that are too low, once there is enough to tell. */
  get problems() {
    const tooFew = (what, part, whole, min) => (whole >= ENOUGH && part / whole < min ? [`only ${percent(part, whole)} of ${what}, at least ${100 * min} % wanted`] : []);
    return [
      ...tooFew('filters match some but not all documents', this.filters.some, this.filters.all, FILTERS_MIN),
      ...tooFew('updates change something', this.updates.changing, this.updates.all, UPDATES_MIN),
    ];
  }

  toString() {
    const table = (entries) => [...entries].sort(([, a], [, b]) => b - a).map(([name, n]) => `${name} ${n}`).join(', ');
    return [
      `commands: ${table(this.commands)}; ${percent(this.errors, this.total)} answered with an error`,
      `filters that match some but not all documents: ${percent(this.filters.some, this.filters.all)} of ${this.filters.all}`,
      `updates that change something: ${percent(this.updates.changing, this.updates.all)} of ${this.updates.all}`,
      `used: ${table(this.#uses)}`,
    ].join('\n');
  }
}
