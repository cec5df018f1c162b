/** Update and delete statements in the driver's terms, and what their replies say. */
import type { Document } from './bson/types.js';
import { MongoInvalidArgumentError, MongoServerError } from './error.js';
import { explainVerbosity, type CollationOptions, type ExplainVerbosityLike, type WriteOptions } from './options.js';
import type { DeleteResult, UpdateResult } from './results.js';
import { formatSort, type Hint, type Sort } from './sort.js';

export interface UpdateOptions extends WriteOptions {
  arrayFilters?: Document[];
  bypassDocumentValidation?: boolean;
  collation?: CollationOptions;
  hint?: Hint;
  upsert?: boolean;
  let?: Document;
  sort?: Sort;
  explain?: ExplainVerbosityLike;
}

export type ReplaceOptions = Omit<UpdateOptions, 'arrayFilters'>;

export interface DeleteOptions extends WriteOptions {
  collation?: CollationOptions;
  hint?: Hint;
  let?: Document;
  explain?: ExplainVerbosityLike;
}

/** True if `update` consists of operators: its first field begins with `$`, or it is a pipeline of stages that do. */
export function hasAtomicOperators(update: Document | Document[], options?: { ignoreUndefined?: boolean }): boolean {
  if (Array.isArray(update)) return update.some((stage) => hasAtomicOperators(stage as Document));
  const keys = update instanceof Map ? [...(update as Map<string, unknown>).keys()] : Object.keys(update);
  if (options?.ignoreUndefined === true && keys.every((key) => update[key] === undefined)) {
    throw new MongoInvalidArgumentError('Update operations require that all atomic operators have defined values, but none were provided.');
  }
  return keys.length > 0 && (keys[0] as string).startsWith('$');
}

/** One statement of an `update` command. */
export function updateStatement(filter: unknown, update: unknown, multi: boolean, options: UpdateOptions): Document {
  if (typeof filter !== 'object' || filter === null) throw new MongoInvalidArgumentError('Selector must be a valid JavaScript object');
  if (typeof update !== 'object' || update === null) throw new MongoInvalidArgumentError('Document must be a valid JavaScript object');
  const statement: Document = { q: filter, u: update };
  if (typeof options.upsert === 'boolean') statement.upsert = options.upsert;
  if (multi) statement.multi = true;
  if (options.hint) statement.hint = options.hint;
  if (options.arrayFilters) statement.arrayFilters = options.arrayFilters;
  if (options.collation) statement.collation = options.collation;
  const sort = multi ? undefined : formatSort(options.sort);
  if (sort !== undefined) statement.sort = sort;
  return statement;
}

/** One statement of a `delete` command; `limit` 0 stands for all that match. */
export function deleteStatement(filter: unknown, limit: 0 | 1, options: DeleteOptions): Document {
  const statement: Document = { q: filter, limit };
  if (options.collation) statement.collation = options.collation;
  if (options.hint) statement.hint = options.hint;
  return statement;
}

/** Puts a command into `explain` if that was asked for. */
export function explained(command: Document, explain: ExplainVerbosityLike | undefined): Document {
  return explain === undefined || explain === false ? command : { explain: command, verbosity: explainVerbosity(explain) };
}

function throwWriteError(reply: Document): void {
  const errors = reply.writeErrors as Document[] | undefined;
  if (errors !== undefined && errors.length > 0) throw new MongoServerError(errors[0] as Document);
}

export function updateResult<TSchema>(reply: Document, acknowledged: boolean): UpdateResult<TSchema> {
  throwWriteError(reply);
  const upserted = (reply.upserted ?? []) as { _id: UpdateResult<TSchema>['upsertedId'] }[];
  const first = upserted[0];
  return {
    acknowledged,
    modifiedCount: Number(reply.nModified ?? reply.n),
    upsertedId: first === undefined ? null : first._id,
    upsertedCount: upserted.length,
    matchedCount: first === undefined ? Number(reply.n) : 0,
  };
}

export function deleteResult(reply: Document, acknowledged: boolean): DeleteResult {
  throwWriteError(reply);
  return { acknowledged, deletedCount: Number(reply.n) };
}
