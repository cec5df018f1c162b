/** The `find` command for a filter and the driver's options. */
import type { Document } from '../bson/types.js';
import { classify, BSON_DB_REF, BSON_OBJECT_ID, MAP, PLAIN } from '../bson/classify.js';
import { MongoInvalidArgumentError } from '../error.js';
import { copyDefined, copyReadConcern, type FindOptions } from '../options.js';
import { formatSort, normalizeHint, normalizeProjection } from '../sort.js';

const AS_GIVEN = [
  'skip', 'singleBatch', 'comment', 'max', 'min', 'returnKey', 'showRecordId', 'tailable', 'noCursorTimeout', 'awaitData',
  'allowPartialResults', 'allowDiskUse', 'let', 'collation', 'maxTimeMS',
] as const;

/**
 * A filter as the command takes it: none finds everything, an ObjectId alone stands for `{ _id: … }`. Null is a filter, which the engine
 * refuses: it comes from a variable that was to hold one.
 */
export function checkedFilter(filter: unknown): Document | null {
  if (filter === undefined) return {};
  if (filter === null) return null;
  if (typeof filter !== 'object' || Array.isArray(filter)) {
    throw new MongoInvalidArgumentError('Query filter must be a plain object or ObjectId');
  }
  return classify(filter) === BSON_OBJECT_ID ? { _id: filter } : filter;
}

/** True for what is written as a document. */
export function isDocument(value: unknown): boolean {
  return typeof value === 'object' && value !== null && [PLAIN, MAP, BSON_DB_REF].includes(classify(value));
}

export function findCommand(collection: string, filter: unknown, options: FindOptions): Document {
  const command: Document = { find: collection, filter: checkedFilter(filter) };
  const sort = formatSort(options.sort);
  if (sort !== undefined) command.sort = sort;
  if (options.projection) command.projection = normalizeProjection(options.projection);
  const hint = normalizeHint(options.hint);
  if (hint !== undefined) command.hint = hint;
  if (typeof options.limit === 'number') {
    command.limit = Math.abs(options.limit);
    if (options.limit < 0) command.singleBatch = true;
  }
  if (typeof options.batchSize === 'number') {
    if (options.batchSize < 0) command.limit = -options.batchSize;
    // One more than the limit, so that the cursor need not stay open.
    else command.batchSize = options.batchSize === options.limit ? options.batchSize + 1 : options.batchSize;
  }
  copyDefined(command, options, AS_GIVEN);
  copyReadConcern(command, options);
  return command;
}
