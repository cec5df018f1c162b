/** `findAndModify` in the driver's three forms: the document as it was, or as it is now. */
import type { Document } from './bson/types.js';
import { MongoInvalidArgumentError } from './error.js';
import { copyDefined, type CollationOptions, type ExplainVerbosityLike, type WriteOptions } from './options.js';
import { formatSort, type Hint, type Sort } from './sort.js';
import type { WithId } from './types.js';
import { hasAtomicOperators } from './writing.js';

export interface FindOneAndDeleteOptions extends WriteOptions {
  sort?: Sort;
  projection?: Document;
  hint?: Hint;
  collation?: CollationOptions;
  let?: Document;
  /** Give the whole reply, with `lastErrorObject`, instead of the document. */
  includeResultMetadata?: boolean;
  /** Nothing is changed; the plan is given, if `includeResultMetadata` asks for the whole reply. */
  explain?: ExplainVerbosityLike;
}

export interface FindOneAndReplaceOptions extends FindOneAndDeleteOptions {
  upsert?: boolean;
  bypassDocumentValidation?: boolean;
  /** Default `before`. */
  returnDocument?: 'before' | 'after';
}

export interface FindOneAndUpdateOptions extends FindOneAndReplaceOptions {
  arrayFilters?: Document[];
}

export interface ModifyResult<TSchema = Document> {
  value: WithId<TSchema> | null;
  lastErrorObject?: Document;
  ok: 0 | 1;
}

/** What is to be done with the document that is found. */
export type Modification = { readonly remove: true } | { readonly replacement: unknown } | { readonly update: unknown };

export function findAndModifyCommand(
  collection: string, filter: unknown, modification: Modification, options: FindOneAndUpdateOptions, ignoreUndefined: boolean,
): Document {
  checkObject('filter', filter);
  const command: Document = { findAndModify: collection, query: filter, remove: 'remove' in modification, new: false, upsert: false };
  const sort = formatSort(options.sort);
  if (sort !== undefined) command.sort = sort;
  if (options.projection) command.fields = options.projection;
  copyDefined(command, options, ['maxTimeMS', 'let', 'comment', 'collation']);
  if (options.hint) command.hint = options.hint;
  if ('remove' in modification) return command;
  if ('replacement' in modification) {
    checkObject('replacement', modification.replacement);
    if (hasAtomicOperators(modification.replacement)) {
      throw new MongoInvalidArgumentError('Replacement document must not contain atomic operators');
    }
    command.update = modification.replacement;
  } else {
    checkObject('update', modification.update);
    if (!hasAtomicOperators(modification.update, { ignoreUndefined })) {
      throw new MongoInvalidArgumentError('Update document requires atomic operators');
    }
    command.update = modification.update;
    if (options.arrayFilters) command.arrayFilters = options.arrayFilters;
  }
  command.new = options.returnDocument === 'after';
  command.upsert = options.upsert === true;
  if (options.bypassDocumentValidation === true) command.bypassDocumentValidation = true;
  return command;
}

function checkObject(name: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null) throw new MongoInvalidArgumentError(`Argument "${name}" must be an object`);
}
