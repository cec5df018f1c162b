/**
 * Cuts a stream of text into the JSON values that are its documents, without ever holding more than one of them.
 *
 * Understood: one JSON array of documents, documents one after the other (NDJSON, or with any white space between them), and
 * one single document.
 *
 * 1. The cut depends on the text only, never on how it was cut into chunks.
 * 2. What comes out is the text of a value that starts with `{`; whether it is correct JSON is for the parser to say.
 * 3. An error names the line and column where reading stopped.
 *
 * Deliberately absent: parsing, and formats other than JSON.
 */

/** The text of one document and where it starts (both counted from 1). */
export interface Piece {
  text: string;
  line: number;
  column: number;
}

export class ImportError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }

  override get name(): string {
    return 'ImportError';
  }
}

/** A document may have 16 MiB as BSON; text of more than this cannot be one. */
const DOCUMENT_CHARACTERS_MAX = 64 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;

type Place = 'start' | 'between' | 'element' | 'document' | 'end';

export class DocumentSplitter {
  /** Where we are: before anything, between values, behind a comma of the array, in a document, behind the array's end. */
  #place: Place = 'start';
  #inArray = false;
  #expectsComma = false;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #kept = '';
  #line = 1;
  #column = 1;
  #startLine = 1;
  #startColumn = 1;

  /** Whether the documents are elements of one array. */
  get isArray(): boolean {
    return this.#inArray;
  }

  /** Takes the next part of the text and gives the documents that end in it, one by one: those before an error come first. */
  *push(chunk: string): Generator<Piece, void, void> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at);
      if (this.#place === 'document') {
        if (this.#closes(code)) {
          const text = this.#kept + chunk.slice(from, at + 1);
          this.#kept = '';
          this.#place = 'between';
          this.#expectsComma = this.#inArray;
          yield { text, line: this.#startLine, column: this.#startColumn };
        }
      } else if (code === OPEN_BRACE) {
        this.#open();
        from = at;
      } else {
        this.#outside(code);
      }
      this.#count(code);
    }
    if (this.#place === 'document') this.#keep(chunk.slice(from));
  }

  /** The text is at its end. */
  finish(): void {
    if (this.#place === 'document') {
      throw new ImportError('The file ends inside a document', this.#startLine, this.#startColumn);
    }
    if (this.#inArray && this.#place !== 'end') throw this.#error('The file ends before the array is closed');
  }

  #keep(text: string): void {
    this.#kept += text;
    if (this.#kept.length > DOCUMENT_CHARACTERS_MAX) {
      throw new ImportError('A document is larger than 64 MiB of text', this.#startLine, this.#startColumn);
    }
  }

  #count(code: number): void {
    if (code === LINE_FEED) {
      this.#line++;
      this.#column = 1;
    } else {
      this.#column++;
    }
  }

  /** True for the brace that ends the document. */
  #closes(code: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (code === BACKSLASH) this.#escaped = true;
      else if (code === QUOTE) this.#inString = false;
      return false;
    }
    if (code === QUOTE) this.#inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) return --this.#depth === 0;
    return false;
  }

  #open(): void {
    if (this.#place === 'end') throw this.#error('There is something behind the end of the array');
    if (this.#expectsComma) throw this.#error('A comma is missing between two documents');
    this.#place = 'document';
    this.#depth = 1;
    this.#startLine = this.#line;
    this.#startColumn = this.#column;
  }

  #outside(code: number): void {
    if (code === 0x20 || code === LINE_FEED || code === 0x0d || code === 0x09) return;
    // RFC 7464 sets this character before each value of a sequence.
    if (code === 0x1e && !this.#inArray) return;
    if (code === OPEN_BRACKET && this.#place === 'start') {
      this.#inArray = true;
      this.#place = 'between';
    } else if (code === COMMA && this.#inArray && this.#expectsComma) {
      this.#expectsComma = false;
      this.#place = 'element';
    } else if (code === CLOSE_BRACKET && this.#inArray && this.#place === 'between') {
      this.#place = 'end';
    } else {
      const found = `“${String.fromCharCode(code)}”`;
      throw this.#error(this.#place === 'end' ? `There is ${found} behind the end of the array` : `Expected a document, found ${found}`);
    }
  }

  #error(message: string): ImportError {
    return new ImportError(message, this.#line, this.#column);
  }
}
