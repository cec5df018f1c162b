/**
 * The element types of BSON and the options of the codec.
 *
 * Names and defaults of the options are those of the official driver; what an option does here and what it does there is
 * the same, apart from the points that `encode.ts` and `decode.ts` list.
 */

/** A document as the API takes and gives it. */
export interface Document {
  // The official driver's type: values of a document are not checked by the compiler.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  [key: string]: any;
}

export const DOUBLE = 0x01;
export const STRING = 0x02;
export const OBJECT = 0x03;
export const ARRAY = 0x04;
export const BINARY = 0x05;
export const UNDEFINED = 0x06;
export const OBJECT_ID = 0x07;
export const BOOLEAN = 0x08;
export const DATE = 0x09;
export const NULL = 0x0a;
export const REGEX = 0x0b;
export const DB_POINTER = 0x0c;
export const CODE = 0x0d;
export const SYMBOL = 0x0e;
export const CODE_WITH_SCOPE = 0x0f;
export const INT32 = 0x10;
export const TIMESTAMP = 0x11;
export const INT64 = 0x12;
export const DECIMAL128 = 0x13;
export const MIN_KEY = 0xff;
export const MAX_KEY = 0x7f;

/** Subtype 2 of binary carries its length a second time inside the value. */
export const SUBTYPE_BYTE_ARRAY = 2;
export const SUBTYPE_UUID = 4;

/** Levels of nesting that the codec follows; the engine's own limit for stored documents (below 180) is lower. */
export const DEPTH_MAX = 220;

/** Options of encoding, by the driver's names. */
export interface EncodeOptions {
  /** Leave out fields whose value is `undefined`. Default false: they become null, in filters too. */
  ignoreUndefined?: boolean;
  /** Store functions as code. Default false: they are refused with their path. */
  serializeFunctions?: boolean;
}

/** Options of decoding, by the driver's names. */
export interface DecodeOptions {
  /** Numbers, strings and regular expressions of JavaScript instead of the BSON classes. Default true. */
  promoteValues?: boolean;
  /** int64 as a number where it is exact, otherwise `Long`. Default true. */
  promoteLongs?: boolean;
  /** Binary of any subtype as a `Uint8Array`. Default false. */
  promoteBuffers?: boolean;
  /** int64 as a BigInt. Default false. */
  useBigInt64?: boolean;
  /** Regular expressions as `BSONRegExp`. Default false. */
  bsonRegExp?: boolean;
  /** Refuse text that is not UTF-8. Default true; with false, U+FFFD stands for what is not. */
  enableUtf8Validation?: boolean;
  /** Documents of a result as their BSON bytes. Default false. */
  raw?: boolean;
}

/** All options of the codec. */
export interface BSONSerializeOptions extends EncodeOptions, DecodeOptions {}
