/** A database and, unless it stands for the database itself, a collection in it. */
export class Namespace {
  readonly db: string;
  readonly collection: string;

  constructor(db: string, collection: string) {
    this.db = db;
    this.collection = collection;
  }

  static fromString(namespace: string): Namespace {
    const dot = namespace.indexOf('.');
    return dot < 0 ? new Namespace(namespace, '') : new Namespace(namespace.slice(0, dot), namespace.slice(dot + 1));
  }

  toString(): string {
    return this.collection === '' ? this.db : `${this.db}.${this.collection}`;
  }
}
