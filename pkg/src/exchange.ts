/**
 * One command and how its reply is read. The command is written straight into the engine's memory, the reply read straight from
 * it; what `read` returns holds no reference to either.
 */
import type { Decoder } from './bson/decode.js';
import type { Encoder } from './bson/encode.js';
import { ARRAY, OBJECT, type BSONSerializeOptions, type DecodeOptions, type Document } from './bson/types.js';
import { MongoServerError, MongoUnexpectedServerResponseError, MongoWriteConcernError } from './error.js';

export interface Exchange<T> {
  /** How values are encoded and decoded. */
  readonly bson: BSONSerializeOptions | undefined;
  /** Ends the command early: what it answers then is the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  write(encoder: Encoder): void;
  /** `reply` is valid only for the call. Throws if the reply is an error. */
  read(reply: Decoder): T;
}

/** Writes `command` as a document with `$db` behind its fields. */
export function writeCommand(encoder: Encoder, command: Document, db: string): void {
  const start = encoder.length;
  encoder.document(command);
  encoder.truncate(encoder.length - 1);
  encoder.field('$db', db);
  encoder.close(start);
}

/** A command that is sent as it is; its kinds differ in what they take from the reply. */
abstract class Sent<Reply> implements Exchange<Reply> {
  readonly db: string;
  readonly command: Document;
  readonly bson: BSONSerializeOptions | undefined;
  readonly signal: AbortSignal | undefined;

  constructor(db: string, command: Document, bson: BSONSerializeOptions | undefined, signal?: AbortSignal) {
    this.db = db;
    this.command = command;
    this.bson = bson;
    this.signal = signal;
  }

  write(encoder: Encoder): void {
    writeCommand(encoder, this.command, this.db);
  }

  abstract read(reply: Decoder): Reply;
}

/** A command whose whole reply is wanted. */
export class Command extends Sent<Document> {
  read(reply: Decoder): Document {
    return readReply(reply, this.bson);
  }
}

/** A command of ours, whose reply holds numbers and names only: read with the defaults, whatever the user's options say. */
export class PlainCommand extends Command {
  override read(reply: Decoder): Document {
    return readReply(reply, undefined);
  }
}

/** A command in whose reply some fields hold values of the user's: those are given as the options say, the others plainly. */
export class CommandWithValues extends Command {
  readonly #fields: readonly string[];

  constructor(db: string, command: Document, bson: BSONSerializeOptions | undefined, fields: readonly string[], signal?: AbortSignal) {
    super(db, command, bson, signal);
    this.#fields = fields;
  }

  override read(reply: Decoder): Document {
    const document = readReply(reply, undefined);
    const present = this.#fields.filter((field) => document[field] !== undefined);
    if (present.length === 0) return document;
    reply.use(this.bson);
    const values = reply.document();
    for (const field of present) document[field] = values[field] as unknown;
    return document;
  }
}

/** A batch of a cursor. */
export interface Batch {
  id: bigint;
  namespace: string;
  documents: unknown[];
}

/** A command that opens a cursor or goes on with one. */
export class CursorCommand extends Sent<Batch> {
  read(reply: Decoder): Batch {
    return readBatch(reply, this.bson);
  }
}

/** A command whose reply is the one document of a cursor: how a query would run, in place of what it finds. */
export class ExplainInBatch extends CursorCommand {
  override read(reply: Decoder): Batch {
    return { id: 0n, namespace: '', documents: [readReply(reply, this.bson)] };
  }
}

/** The whole reply. */
export function readReply(decoder: Decoder, options: DecodeOptions | undefined): Document {
  decoder.use(options);
  const reply = decoder.document();
  if (Number(reply.ok) !== 1) throw failure(decoder);
  if (reply.writeConcernError !== undefined) throw new MongoWriteConcernError(plain(decoder));
  return reply;
}

/** The error that a reply with `ok: 0` stands for. */
export function failure(decoder: Decoder): Error {
  const reply = plain(decoder);
  if (reply.ok === 0) return new MongoServerError(reply);
  return new MongoUnexpectedServerResponseError('The engine gave a reply without `ok`');
}

/** The reply with the default options. */
function plain(decoder: Decoder): Document {
  decoder.use(undefined);
  return decoder.document();
}

const PROTOCOL: DecodeOptions = { useBigInt64: true };

/** The documents of a cursor's batch with the user's options, what is around them with ours. */
export function readBatch(decoder: Decoder, options: DecodeOptions | undefined): Batch {
  decoder.use(PROTOCOL);
  const batch: Batch = { id: 0n, namespace: '', documents: [] };
  let found = false;
  const end = decoder.root();
  for (let name = decoder.next(end); name !== undefined; name = decoder.next(end)) {
    if (name === 'cursor' && decoder.type === OBJECT) {
      readCursor(decoder, end, options, batch);
      found = true;
    } else if (name === 'ok') {
      if (Number(decoder.value(decoder.type, end)) !== 1) throw failure(decoder);
    } else {
      decoder.skip(decoder.type, end);
    }
  }
  if (!found) throw failure(decoder);
  return batch;
}

function readCursor(decoder: Decoder, outer: number, options: DecodeOptions | undefined, batch: Batch): void {
  const end = decoder.enter(outer);
  for (let name = decoder.next(end); name !== undefined; name = decoder.next(end)) {
    if ((name === 'firstBatch' || name === 'nextBatch') && decoder.type === ARRAY) {
      const limit = decoder.enter(end);
      decoder.use(options);
      while (decoder.next(limit) !== undefined) batch.documents.push(decoder.result(limit));
      decoder.use(PROTOCOL);
    } else if (name === 'id') {
      batch.id = BigInt(decoder.value(decoder.type, end) as bigint | number);
    } else if (name === 'ns') {
      batch.namespace = String(decoder.value(decoder.type, end));
    } else {
      decoder.skip(decoder.type, end);
    }
  }
}

/** The first document of a cursor's first batch, or null. Reads no further than that. */
export function readFirst(decoder: Decoder, options: DecodeOptions | undefined): unknown {
  decoder.use(options);
  let document: unknown;
  const end = decoder.root();
  for (let name = decoder.next(end); name !== undefined; name = decoder.next(end)) {
    if (name === 'cursor' && decoder.type === OBJECT) {
      const inner = decoder.enter(end);
      for (let field = decoder.next(inner); field !== undefined; field = decoder.next(inner)) {
        if (field === 'firstBatch' && (decoder.type as number) === ARRAY) {
          const limit = decoder.enter(inner);
          document = decoder.next(limit) === undefined ? null : decoder.result(limit);
          decoder.leave(limit);
        } else {
          decoder.skip(decoder.type, inner);
        }
      }
    } else if (name === 'ok') {
      if (Number(decoder.value(decoder.type, end)) !== 1) throw failure(decoder);
    } else {
      decoder.skip(decoder.type, end);
    }
  }
  if (document === undefined) throw failure(decoder);
  return document;
}
