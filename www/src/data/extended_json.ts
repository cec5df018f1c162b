/**
 * Documents from JSON text and back: plain JSON and Extended JSON v2, canonical and relaxed.
 *
 * Numbers become what mongoimport makes of them: integers of 32 bits int, of 64 bits long, all others double.
 */
import { BSON, type Document } from 'pandodb';
import { ImportError, type Piece } from './split.ts';

/** Text for which JSON.parse alone gives what Extended JSON means: no `$` names, no integers beyond 32 bits. */
const NEEDS_CARE = /"(?:\$|\\u0024)|\d{10}/;
const NEEDS_LONGS = /\d{16}/;
const STRING_OR_LONG = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,19}(?![\d.eE])/g;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** Integers that a JavaScript number does not hold exactly, written as longs. */
function keepLongs(text: string): string {
  return text.replace(STRING_OR_LONG, (token) => {
    if (token.startsWith('"')) return token;
    const value = BigInt(token);
    if (Number.isSafeInteger(Number(token))) return token;
    return value < INT64_MIN || value > INT64_MAX ? `{"$numberDouble":"${token}"}` : `{"$numberLong":"${token}"}`;
  });
}

/** Throws for a date that EJSON.parse took although it is none; `path` leads to `value`. */
function checkDates(value: unknown, path: string): void {
  if (value instanceof Date && Number.isNaN(value.getTime())) throw new Error(`the $date of “${path}” is not a date`);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) checkDates(part, path === '' ? name : `${path}.${name}`);
}

/** The document that `text` writes down. */
export function parseDocument(text: string): Document {
  if (!NEEDS_CARE.test(text)) return JSON.parse(text) as Document;
  const exact = NEEDS_LONGS.test(text) ? keepLongs(text) : text;
  const document = BSON.EJSON.parse(exact, { relaxed: false }) as Document;
  if (text.includes('$date')) checkDates(document, '');
  return document;
}

/** The same, with errors that say where in the file the document is. */
export function parsePiece({ text, line, column }: Piece): Document {
  let document: Document;
  try {
    document = parseDocument(text);
  } catch (error) {
    throw new ImportError(`This document is not valid: ${(error as Error).message}`, line, column);
  }
  if (typeof document !== 'object' || document === null || '_bsontype' in document) {
    throw new ImportError('This is a value of Extended JSON, not a document', line, column);
  }
  return document;
}

/** A value as Extended JSON. */
export function toExtendedJson(value: unknown, { canonical = false, indent = 2 }: { canonical?: boolean; indent?: number } = {}): string {
  return BSON.EJSON.stringify(value, undefined, indent, { relaxed: !canonical });
}
