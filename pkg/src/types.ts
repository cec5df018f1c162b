/** Types of documents, filters and updates: the driver's names, checked field by field, looser than the driver's for dotted paths. */
import type { BSONRegExp, ObjectId } from 'bson';
import type { Document } from './bson/types.js';

/** The type of `_id`: the schema's own, or ObjectId. */
export type InferIdType<TSchema> = TSchema extends { _id: infer IdType }
  ? Record<never, never> extends IdType ? never : IdType
  : TSchema extends { _id?: infer IdType } ? (unknown extends IdType ? ObjectId : NonNullable<IdType>) : ObjectId;

type EnhancedOmit<T, K> = string extends keyof T ? T : { [P in keyof T as P extends K ? never : P]: T[P] };

/** A document as it is found: with its `_id`. */
export type WithId<TSchema> = EnhancedOmit<TSchema, '_id'> & { _id: InferIdType<TSchema> };

/** A document as it may be inserted: `_id` is made if it is missing. */
export type OptionalId<TSchema> = EnhancedOmit<TSchema, '_id'> & { _id?: InferIdType<TSchema> };

/** As `OptionalId`, but a schema that requires an `_id` of another type than ObjectId keeps requiring it. */
export type OptionalUnlessRequiredId<TSchema> = TSchema extends { _id: ObjectId | undefined }
  ? OptionalId<TSchema>
  : TSchema extends { _id: unknown } ? TSchema : OptionalId<TSchema>;

export type WithoutId<TSchema> = Omit<TSchema, '_id'>;

type Element<T> = T extends ReadonlyArray<infer U> ? U : T;
/** A value of a field, or one of its elements if it is an array. */
type Alternative<T> = T | Element<T> | (T extends string ? RegExp | BSONRegExp : never) | RegExpForStrings<T>;
type RegExpForStrings<T> = Element<T> extends string ? RegExp | BSONRegExp : never;

export interface FilterOperators<T> {
  $eq?: T | Element<T> | null;
  $ne?: T | Element<T> | null;
  $gt?: T | Element<T>;
  $gte?: T | Element<T>;
  $lt?: T | Element<T>;
  $lte?: T | Element<T>;
  $in?: ReadonlyArray<Alternative<T> | null>;
  $nin?: ReadonlyArray<Alternative<T> | null>;
  $not?: FilterOperators<T> | RegExpForStrings<T>;
  $exists?: boolean | number;
  $type?: string | number | ReadonlyArray<string | number>;
  $regex?: RegExp | BSONRegExp | string;
  $options?: string;
  $mod?: readonly [number, number];
  $all?: ReadonlyArray<unknown>;
  $elemMatch?: Document;
  $size?: number;
  $geoWithin?: Document;
  $geoIntersects?: Document;
  $near?: Document;
  $nearSphere?: Document;
  $bitsAllClear?: unknown;
  $bitsAllSet?: unknown;
  $bitsAnyClear?: unknown;
  $bitsAnySet?: unknown;
}

export type Condition<T> = Alternative<T> | null | FilterOperators<Alternative<T>>;

export interface RootFilterOperators<TSchema> {
  $and?: ReadonlyArray<Filter<TSchema>>;
  $or?: ReadonlyArray<Filter<TSchema>>;
  $nor?: ReadonlyArray<Filter<TSchema>>;
  $expr?: unknown;
  $jsonSchema?: Document;
  $text?: { $search: string; $language?: string; $caseSensitive?: boolean; $diacriticSensitive?: boolean };
  $where?: unknown;
  $comment?: unknown;
  $alwaysTrue?: unknown;
  $alwaysFalse?: unknown;
}

/** A filter: conditions on fields, logical operators, and dotted paths (which are not checked). */
export type Filter<TSchema> = { [P in keyof WithId<TSchema>]?: Condition<WithId<TSchema>[P]> } & RootFilterOperators<WithId<TSchema>> & {
  [path: `${string}.${string}`]: unknown;
};

type Fields<TSchema, V> = { readonly [P in keyof TSchema]?: V } & { readonly [path: `${string}.${string}`]: unknown };
type Values<TSchema> = { readonly [P in keyof TSchema]?: TSchema[P] } & { readonly [path: `${string}.${string}`]: unknown };
type Elements<TSchema> = {
  readonly [P in keyof TSchema]?: Element<TSchema[P]> | { $each?: ReadonlyArray<Element<TSchema[P]>>; $position?: number; $slice?: number; $sort?: unknown };
} & { readonly [path: `${string}.${string}`]: unknown };

/** An update by operators. */
export type UpdateFilter<TSchema> = {
  $set?: Values<TSchema>;
  $setOnInsert?: Values<TSchema>;
  $unset?: Fields<TSchema, '' | true | 1>;
  $inc?: Fields<TSchema, unknown>;
  $mul?: Fields<TSchema, unknown>;
  $min?: Values<TSchema>;
  $max?: Values<TSchema>;
  $rename?: Readonly<Record<string, string>>;
  $currentDate?: Readonly<Record<string, true | { $type: 'date' | 'timestamp' }>>;
  $push?: Elements<TSchema>;
  $addToSet?: Elements<TSchema>;
  $pull?: Document;
  $pullAll?: Fields<TSchema, ReadonlyArray<unknown>>;
  $pop?: Fields<TSchema, 1 | -1>;
  $bit?: Document;
} & Document;
