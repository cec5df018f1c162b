/** What writes answer, and the errors of several writes in one. */
import type { Document } from './bson/types.js';
import { MongoServerError } from './error.js';
import type { InferIdType } from './types.js';

export interface InsertOneResult<TSchema = Document> {
  /** True unless the write concern was `w: 0`. */
  acknowledged: boolean;
  insertedId: InferIdType<TSchema>;
}

export interface InsertManyResult<TSchema = Document> {
  acknowledged: boolean;
  insertedCount: number;
  /** The `_id` of each document by its place in the array. */
  insertedIds: { [index: number]: InferIdType<TSchema> };
}

export interface UpdateResult<TSchema = Document> {
  acknowledged: boolean;
  matchedCount: number;
  modifiedCount: number;
  upsertedCount: number;
  upsertedId: InferIdType<TSchema> | null;
}

export interface DeleteResult {
  acknowledged: boolean;
  deletedCount: number;
}

/** One write that failed among several. */
export class WriteError {
  /** As the engine answered it, and the operation it speaks of. */
  readonly err: { index: number; code: number; errmsg: string; errInfo?: Document; op?: unknown; keyPattern?: Document; keyValue?: Document };

  constructor(err: WriteError['err']) {
    this.err = err;
  }

  get code(): number {
    return this.err.code;
  }

  /** The place of the operation in what was given. */
  get index(): number {
    return this.err.index;
  }

  get errmsg(): string {
    return this.err.errmsg;
  }

  get errInfo(): Document | undefined {
    return this.err.errInfo;
  }

  getOperation(): unknown {
    return this.err.op;
  }

  toJSON(): { code: number; index: number; errmsg: string; op: unknown } {
    return { code: this.err.code, index: this.err.index, errmsg: this.err.errmsg, op: this.err.op };
  }

  toString(): string {
    return `WriteError(${JSON.stringify(this.toJSON())})`;
  }
}

/** What several writes did. */
export class BulkWriteResult {
  readonly insertedCount: number;
  readonly matchedCount: number = 0;
  readonly modifiedCount: number = 0;
  readonly deletedCount: number = 0;
  readonly upsertedCount: number = 0;
  readonly upsertedIds: { [index: number]: unknown } = {};
  /** The `_id` of each document that was inserted, by its place. */
  readonly insertedIds: { [index: number]: unknown };
  readonly #writeErrors: WriteError[];

  constructor(insertedCount: number, insertedIds: { [index: number]: unknown }, writeErrors: WriteError[]) {
    this.insertedCount = insertedCount;
    this.insertedIds = insertedIds;
    this.#writeErrors = writeErrors;
  }

  get ok(): number {
    return 1;
  }

  isOk(): boolean {
    return true;
  }

  hasWriteErrors(): boolean {
    return this.#writeErrors.length > 0;
  }

  getWriteErrorCount(): number {
    return this.#writeErrors.length;
  }

  getWriteErrorAt(index: number): WriteError | undefined {
    return this.#writeErrors[index];
  }

  getWriteErrors(): WriteError[] {
    return this.#writeErrors;
  }
}

/** Some of several writes failed; `result` says what was done. */
export class MongoBulkWriteError extends MongoServerError {
  result: BulkWriteResult;
  writeErrors: WriteError[];

  constructor(writeErrors: WriteError[], result: BulkWriteResult) {
    const first = writeErrors[0] as WriteError;
    super({ message: first.errmsg, code: first.code });
    this.writeErrors = writeErrors;
    this.result = result;
  }

  override get name(): string {
    return 'MongoBulkWriteError';
  }

  get insertedCount(): number {
    return this.result.insertedCount;
  }

  get matchedCount(): number {
    return this.result.matchedCount;
  }

  get modifiedCount(): number {
    return this.result.modifiedCount;
  }

  get deletedCount(): number {
    return this.result.deletedCount;
  }

  get upsertedCount(): number {
    return this.result.upsertedCount;
  }

  get insertedIds(): { [index: number]: unknown } {
    return this.result.insertedIds;
  }

  get upsertedIds(): { [index: number]: unknown } {
    return this.result.upsertedIds;
  }
}
