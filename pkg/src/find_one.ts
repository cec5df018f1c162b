/** `findOne`: the shortest way, since it is what pages do most. */
import type { Decoder } from './bson/decode.js';
import type { Encoder } from './bson/encode.js';
import type { BSONSerializeOptions, Document } from './bson/types.js';
import { checkedFilter, findCommand } from './cursor/find_command.js';
import { readFirst, writeCommand, type Exchange } from './exchange.js';
import type { FindOptions } from './options.js';

/** Writes its command field by field, without building it first. */
export class FindOne implements Exchange<unknown> {
  readonly bson: BSONSerializeOptions;
  readonly signal: AbortSignal | undefined;
  readonly #db: string;
  readonly #collection: string;
  readonly #filter: unknown;
  readonly #options: FindOptions | undefined;

  constructor(db: string, collection: string, filter: unknown, options: FindOptions | undefined, bson: BSONSerializeOptions) {
    this.#db = db;
    this.#collection = collection;
    this.#filter = filter;
    this.#options = options;
    this.bson = bson;
    this.signal = options?.signal;
  }

  write(encoder: Encoder): void {
    if (this.#options !== undefined) {
      const command: Document = findCommand(this.#collection, this.#filter, { ...this.#options, limit: 1, singleBatch: true, batchSize: undefined });
      return writeCommand(encoder, command, this.#db);
    }
    const start = encoder.open();
    encoder.field('find', this.#collection);
    encoder.field('filter', checkedFilter(this.#filter));
    encoder.field('limit', 1);
    encoder.field('singleBatch', true);
    encoder.field('$db', this.#db);
    encoder.close(start);
  }

  read(reply: Decoder): unknown {
    return readFirst(reply, this.bson);
  }
}
