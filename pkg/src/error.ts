/**
 * Errors, by the names and with the fields of the official driver, and two of our own: `InternalError` for an engine that broke and
 * `MongoEnvironmentError` for what the surroundings lack or refuse (WebAssembly, IndexedDB, a file that is not the engine).
 *
 * What the engine answers with `ok: 0` is a `MongoServerError`: there is no server, but code written for the driver asks for it.
 */
import type { Document } from './bson/types.js';

/** The reply of a command that failed, or one entry of `writeErrors`. */
export interface ErrorDescription extends Document {
  message?: string;
  errmsg?: string;
  errorLabels?: string[];
  errInfo?: Document;
}

export class MongoError extends Error {
  readonly #labels = new Set<string>();
  /** A number in a `MongoServerError`. */
  code?: number | string;
  declare cause?: Error;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options as ErrorOptions);
  }

  override get name(): string {
    return 'MongoError';
  }

  get errmsg(): string {
    return this.message;
  }

  get errorLabels(): string[] {
    return [...this.#labels];
  }

  hasErrorLabel(label: string): boolean {
    return this.#labels.has(label);
  }

  addErrorLabel(label: string): void {
    this.#labels.add(label);
  }
}

/** An error that the engine answered. */
export class MongoServerError extends MongoError {
  /** The reply as it came. */
  errorResponse: ErrorDescription;
  declare code?: number;
  declare codeName?: string;
  declare errInfo?: Document;
  declare writeConcernError?: Document;
  declare keyPattern?: Document;
  declare keyValue?: Document;
  declare ok?: number;
  // The driver's type: every field of the reply is a field of the error.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  [key: string]: any;

  constructor(response: ErrorDescription) {
    super(response.message ?? response.errmsg ?? 'n/a');
    for (const label of response.errorLabels ?? []) this.addErrorLabel(label);
    this.errorResponse = response;
    for (const name of Object.keys(response)) {
      if (!reserved.has(name)) Object.defineProperty(this, name, { value: response[name], writable: true, enumerable: true, configurable: true });
    }
  }

  override get name(): string {
    return 'MongoServerError';
  }
}

/** Fields of a reply that the error itself provides, and one that must not be set by assignment. */
const reserved = new Set(['errorLabels', 'errmsg', 'message', 'errorResponse', 'name', 'stack', 'cause', '__proto__']);

/** The write was done, but not as durably as was asked for. */
export class MongoWriteConcernError extends MongoServerError {
  /** The whole reply. */
  result: Document;

  constructor(result: Document) {
    super({ ...result, ...(result.writeConcernError as Document) });
    this.result = result;
    this.errInfo = (result.writeConcernError as Document | undefined)?.errInfo as Document | undefined;
  }

  override get name(): string {
    return 'MongoWriteConcernError';
  }
}

/** An error made on this side of the engine. */
export class MongoDriverError extends MongoError {
  override get name(): string {
    return 'MongoDriverError';
  }
}

export class MongoAPIError extends MongoDriverError {
  override get name(): string {
    return 'MongoAPIError';
  }
}

export class MongoRuntimeError extends MongoDriverError {
  override get name(): string {
    return 'MongoRuntimeError';
  }
}

export class MongoInvalidArgumentError extends MongoAPIError {
  override get name(): string {
    return 'MongoInvalidArgumentError';
  }
}

export class MongoNotConnectedError extends MongoAPIError {
  override get name(): string {
    return 'MongoNotConnectedError';
  }
}

export class MongoClientClosedError extends MongoAPIError {
  constructor() {
    super('Operation interrupted because client was closed');
  }

  override get name(): string {
    return 'MongoClientClosedError';
  }
}

export class MongoCursorInUseError extends MongoAPIError {
  constructor(message = 'Cursor is already initialized') {
    super(message);
  }

  override get name(): string {
    return 'MongoCursorInUseError';
  }
}

export class MongoCursorExhaustedError extends MongoAPIError {
  constructor(message = 'Cursor is exhausted') {
    super(message);
  }

  override get name(): string {
    return 'MongoCursorExhaustedError';
  }
}

export class MongoParseError extends MongoDriverError {
  override get name(): string {
    return 'MongoParseError';
  }
}

export class MongoUnexpectedServerResponseError extends MongoRuntimeError {
  override get name(): string {
    return 'MongoUnexpectedServerResponseError';
  }
}

/** What the page or process lacks, or refused: no IndexedDB, a WebAssembly file that is none, data of a newer format. */
export class MongoEnvironmentError extends MongoRuntimeError {
  /** The engine's name of the error, where the engine gave it. */
  codeName?: string;

  override get name(): string {
    return 'MongoEnvironmentError';
  }
}

/** A defect of the engine: it stopped with `message`. What was pending failed; the next call starts a fresh engine on what is stored. */
export class InternalError extends MongoRuntimeError {
  override code = 1;
  readonly codeName = 'InternalError';

  override get name(): string {
    return 'InternalError';
  }
}

/** The error that the engine threw, as one of ours. `where`: what was being opened. */
export function openError(reason: unknown, where?: string): MongoError {
  if (reason instanceof MongoError) return reason;
  const place = where === undefined ? '' : `${where} cannot be opened: `;
  if (!(reason instanceof Error)) return new MongoEnvironmentError(`${place}${String(reason)}`);
  const { code, codeName } = reason as { code?: number | string; codeName?: string };
  const error = new MongoEnvironmentError(`${place}${reason.message}`, { cause: reason.cause ?? reason });
  if (code !== undefined) error.code = code;
  if (codeName !== undefined) error.codeName = codeName;
  return error;
}
