import { BSONError } from 'bson';

/** A value that has no BSON form. `path` leads to it from the document that was to be encoded. */
export class EncodeError extends BSONError {
  readonly path: string;

  constructor(path: string, reason: string, cause?: unknown) {
    super(`Cannot encode: ${path === '' ? 'the document' : `'${path}'`} ${reason}`, cause === undefined ? undefined : { cause });
    this.path = path;
  }
}
