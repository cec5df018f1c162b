/** Options that many commands share, and how they are put into a command. */
import type { BSONSerializeOptions, Document } from './bson/types.js';
import type { WriteConcern } from './connection_string.js';
import type { Hint } from './sort.js';

/** Options of the codec that may be given with every operation. */
export interface OperationOptions extends BSONSerializeOptions {
  /** Shown by the profiler and in `currentOp`. */
  comment?: unknown;
  /** The command ends with code 50 after this many milliseconds. */
  maxTimeMS?: number;
  /** Ends the operation early: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface ReadOptions extends OperationOptions {
  /** `local`, `available`, `majority` and `linearizable` are one here: a single engine answers. */
  readConcern?: string | { readonly level?: string };
}

export interface CollationOptions {
  locale: string;
  caseLevel?: boolean;
  caseFirst?: string;
  strength?: number;
  numericOrdering?: boolean;
  alternate?: string;
  maxVariable?: string;
  backwards?: boolean;
  normalization?: boolean;
}

export interface WriteOptions extends OperationOptions {
  writeConcern?: WriteConcern;
}

export type ExplainVerbosity = 'queryPlanner' | 'executionStats' | 'allPlansExecution' | 'queryPlannerExtended';
export type ExplainVerbosityLike = ExplainVerbosity | boolean;
export type ExplainOption = ExplainVerbosityLike | { verbosity?: ExplainVerbosityLike };

/** Verbosity as the command takes it; `true` stands for all that can be said, as in the driver. */
export function explainVerbosity(given: ExplainOption | undefined): string {
  if (typeof given === 'object') return explainVerbosity(given.verbosity);
  if (given === undefined || given === true) return 'allPlansExecution';
  return given === false ? 'queryPlanner' : given;
}

/** The verbosity that the option `explain` asks for; undefined if it asks for nothing. */
export function explainOption(explain: ExplainOption | undefined): string | undefined {
  return explain ? explainVerbosity(explain) : undefined;
}

/** Puts those of the fields `names` of `options` that are defined into `command`. */
export function copyDefined(command: Document, options: object | undefined, names: readonly string[]): void {
  if (options === undefined) return;
  for (const name of names) {
    const value = (options as Record<string, unknown>)[name];
    if (value !== undefined) command[name] = value;
  }
}

/** Puts the read concern of `options` into `command`; a name alone is its level. */
export function copyReadConcern(command: Document, options: ReadOptions): void {
  const { readConcern } = options;
  if (readConcern) command.readConcern = typeof readConcern === 'string' ? { level: readConcern } : readConcern;
}

/** The options of the codec for one operation: its own, then those of the collection. */
export function bsonOptions(base: BSONSerializeOptions, given: BSONSerializeOptions | undefined): BSONSerializeOptions {
  if (given === undefined) return base;
  const {
    ignoreUndefined, serializeFunctions, promoteValues, promoteLongs, promoteBuffers, useBigInt64, bsonRegExp, enableUtf8Validation, raw,
  } = given;
  return {
    ignoreUndefined: ignoreUndefined ?? base.ignoreUndefined,
    serializeFunctions: serializeFunctions ?? base.serializeFunctions,
    promoteValues: promoteValues ?? base.promoteValues,
    promoteLongs: promoteLongs ?? base.promoteLongs,
    promoteBuffers: promoteBuffers ?? base.promoteBuffers,
    useBigInt64: useBigInt64 ?? base.useBigInt64,
    bsonRegExp: bsonRegExp ?? base.bsonRegExp,
    enableUtf8Validation: enableUtf8Validation ?? base.enableUtf8Validation,
    raw: raw ?? base.raw,
  };
}

export interface FindOptions extends ReadOptions {
  sort?: import('./sort.js').Sort;
  projection?: Document | readonly string[];
  skip?: number;
  limit?: number;
  batchSize?: number;
  singleBatch?: boolean;
  hint?: Hint;
  min?: Document;
  max?: Document;
  returnKey?: boolean;
  showRecordId?: boolean;
  collation?: CollationOptions;
  let?: Document;
  allowDiskUse?: boolean;
  noCursorTimeout?: boolean;
  tailable?: boolean;
  awaitData?: boolean;
  maxAwaitTimeMS?: number;
  allowPartialResults?: boolean;
  /** The plan is given in place of the documents. */
  explain?: ExplainOption;
}

export type FindOneOptions = Omit<FindOptions, 'batchSize' | 'limit' | 'noCursorTimeout'>;
