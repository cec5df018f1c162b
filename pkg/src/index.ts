/** PandoDB: MongoDB's document model inside the browser, in the shape of the official driver. Importing it does nothing. */
export * as BSON from 'bson';
export {
  Binary, BSONRegExp, BSONSymbol, BSONType, Code, DBRef, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp, UUID,
} from 'bson';
export { EncodeError } from './bson/encode.js';
export type { BSONSerializeOptions, Document } from './bson/types.js';
export { Admin, type ListDatabasesOptions, type ListDatabasesResult } from './admin.js';
export { MongoClient } from './client.js';
export {
  Collection, type CollectionOptions, type CountOptions, type DistinctOptions, type InsertManyOptions, type InsertOneOptions,
} from './collection.js';
export type { MongoClientOptions, PkFactory, WriteConcern } from './connection_string.js';
export { AbstractCursor, type CursorOptions } from './cursor/abstract_cursor.js';
export { AggregationCursor, type AggregateOptions } from './cursor/aggregation_cursor.js';
export { FindCursor } from './cursor/find_cursor.js';
export {
  ListCollectionsCursor, ListIndexesCursor, type CollectionInfo, type ListCollectionsOptions, type ListIndexesOptions,
} from './cursor/list_cursors.js';
export { Db, type CreateCollectionOptions, type DbOptions } from './db.js';
export {
  InternalError, MongoAPIError, MongoClientClosedError, MongoCursorExhaustedError, MongoCursorInUseError, MongoDriverError,
  MongoEnvironmentError, MongoError, MongoInvalidArgumentError, MongoNotConnectedError, MongoParseError, MongoRuntimeError,
  MongoServerError, MongoUnexpectedServerResponseError, MongoWriteConcernError, type ErrorDescription,
} from './error.js';
export type { FindOneAndDeleteOptions, FindOneAndReplaceOptions, FindOneAndUpdateOptions, ModifyResult } from './find_and_modify.js';
export type {
  CreateIndexCommandOptions, CreateIndexesOptions, IndexDescription, IndexDirection, IndexOptions, IndexSpecification,
} from './indexes.js';
export type { EngineModuleSource } from './loader.js';
export { Namespace as MongoDBNamespace } from './namespace.js';
export type {
  CollationOptions, ExplainOption, ExplainVerbosity, ExplainVerbosityLike, FindOneOptions, FindOptions, OperationOptions, ReadOptions, WriteOptions,
} from './options.js';
export {
  BulkWriteResult, MongoBulkWriteError, WriteError, type DeleteResult, type InsertManyResult, type InsertOneResult, type UpdateResult,
} from './results.js';
/** Which document the `findOneAnd…` operations give. */
export const ReturnDocument = Object.freeze({ BEFORE: 'before', AFTER: 'after' } as const);
export type ReturnDocument = (typeof ReturnDocument)[keyof typeof ReturnDocument];
export type { Hint, Sort, SortDirection } from './sort.js';
export type {
  Condition, Filter, FilterOperators, InferIdType, OptionalId, OptionalUnlessRequiredId, RootFilterOperators, UpdateFilter, WithId,
  WithoutId,
} from './types.js';
export type { DeleteOptions, ReplaceOptions, UpdateOptions } from './writing.js';
