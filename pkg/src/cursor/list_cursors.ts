/** Cursors over what there is: collections and indexes. */
import type { BSONSerializeOptions, Document } from '../bson/types.js';
import type { MongoClient } from '../client.js';
import { Namespace } from '../namespace.js';
import { AbstractCursor, type CursorOptions } from './abstract_cursor.js';

export interface ListCollectionsOptions extends CursorOptions {
  /** Only names and types. */
  nameOnly?: boolean;
  authorizedCollections?: boolean;
}

export interface CollectionInfo extends Document {
  name: string;
  type?: string;
  options?: Document;
  info?: Document;
  idIndex?: Document;
}

export type ListIndexesOptions = CursorOptions;

function listing(options: CursorOptions): Document {
  const command: Document = { cursor: options.batchSize ? { batchSize: options.batchSize } : {} };
  if (options.comment !== undefined) command.comment = options.comment;
  if (options.maxTimeMS !== undefined) command.maxTimeMS = options.maxTimeMS;
  return command;
}

export class ListCollectionsCursor<T = CollectionInfo> extends AbstractCursor<T> {
  readonly #filter: Document;
  readonly #list: ListCollectionsOptions;

  constructor(client: MongoClient, db: string, filter: Document, options: ListCollectionsOptions, bson: BSONSerializeOptions) {
    const own = { ...options };
    super(client, new Namespace(db, '$cmd.listCollections'), own, bson);
    this.#filter = filter;
    this.#list = own;
  }

  protected override command(): Document {
    const { nameOnly, authorizedCollections } = this.#list;
    return {
      listCollections: 1,
      filter: this.#filter,
      ...listing(this.#list),
      nameOnly: nameOnly === true,
      authorizedCollections: authorizedCollections === true,
    };
  }

  clone(): ListCollectionsCursor<T> {
    return new ListCollectionsCursor<T>(this.client, this.namespace.db, this.#filter, this.#list, this.bson);
  }
}

export class ListIndexesCursor extends AbstractCursor<Document> {
  readonly #collection: Namespace;

  constructor(client: MongoClient, namespace: Namespace, options: ListIndexesOptions, bson: BSONSerializeOptions) {
    super(client, namespace, { ...options }, bson);
    this.#collection = namespace;
  }

  protected override command(): Document {
    return { listIndexes: this.#collection.collection, ...listing(this.options) };
  }

  clone(): ListIndexesCursor {
    return new ListIndexesCursor(this.client, this.#collection, this.options, this.bson);
  }
}
