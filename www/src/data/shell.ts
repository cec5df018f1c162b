/**
 * Filters, sorts and projections as people write them: the literals of JavaScript with the constructors of MongoDB's shell,
 * and Extended JSON, which is a part of it.
 *
 * 1. Nothing is ever run: acorn gives a syntax tree, and only the forms named here are given a value.
 * 2. An error says at which character.
 *
 * Numbers mean what they mean in the shell: integers of 32 bits int, others double; longs are written `NumberLong("…")` or `123n`.
 */
import { parse, type Expression, type Node, type SpreadElement } from 'acorn';
import { Binary, BSON, BSONRegExp, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp, UUID, type Document } from 'pandodb';

export class ShellError extends Error {
  /** The character of the input that the error is about, from 0. */
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }

  override get name(): string {
    return 'ShellError';
  }
}

type Arguments = unknown[];

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw new Error('a text in quotes is expected');
  return value;
};

const numeral = (value: unknown): string => {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') throw new Error('a number is expected');
  return String(value);
};

function long(value: unknown): Long {
  const digits = numeral(value);
  if (!/^-?\d+$/.test(digits)) throw new Error('an integer is expected');
  const exact = BigInt(digits);
  if (exact !== BigInt.asIntN(64, exact)) throw new Error('the integer does not fit into 64 bits');
  return Long.fromBigInt(exact);
}

function date(...args: Arguments): Date {
  if (args.length === 0) return new Date();
  const made = args.length === 1 ? new Date(args[0] as string | number) : new Date(Date.UTC(...(args as [number, number])));
  return valid(made);
}

function valid(made: Date): Date {
  if (Number.isNaN(made.getTime())) throw new Error('this is not a date: write ISODate("2024-05-01T12:00:00Z")');
  return made;
}

function int(value: unknown): Int32 {
  const number = Number(numeral(value));
  if (number !== (number | 0)) throw new Error('an integer of 32 bits is expected');
  return new Int32(number);
}

/** What may be called, with or without `new`. */
const CONSTRUCTORS: Record<string, (...args: Arguments) => unknown> = {
  ObjectId: (hex) => (hex === undefined ? new ObjectId() : new ObjectId(text(hex))),
  ISODate: date,
  Date: date,
  NumberInt: int,
  Int32: int,
  NumberLong: long,
  Long: long,
  NumberDecimal: (value) => Decimal128.fromString(numeral(value)),
  Decimal128: (value) => Decimal128.fromString(numeral(value)),
  Double: (value) => new Double(Number(numeral(value))),
  UUID: (hex) => (hex === undefined ? new UUID() : new UUID(text(hex))),
  BinData: (type, base64) => Binary.createFromBase64(text(base64), Number(numeral(type))),
  Timestamp: (seconds, increment) => new Timestamp({ t: Number(numeral(seconds)), i: Number(numeral(increment)) }),
  RegExp: (pattern, flags) => regularExpression(text(pattern), flags === undefined ? '' : text(flags)),
  Code: (code) => new Code(text(code)),
  MinKey: () => new MinKey(),
  MaxKey: () => new MaxKey(),
};

const NAMES: Record<string, unknown> = { undefined, NaN, Infinity };

/** The flags that MongoDB has and JavaScript has not are kept by the class of BSON. */
function regularExpression(pattern: string, flags: string): BSONRegExp {
  const known = [...flags].filter((flag) => 'imsxu'.includes(flag));
  if (known.length !== flags.length) throw new Error('the flags i, m, s, x and u are known');
  return new BSONRegExp(pattern, known.sort().join(''));
}

const EXTENDED = new Set([
  '$oid', '$date', '$numberInt', '$numberLong', '$numberDouble', '$numberDecimal', '$uuid', '$binary', '$regularExpression', '$timestamp',
  '$minKey', '$maxKey', '$symbol', '$code', '$undefined',
]);

class Reader {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  value(node: Expression | SpreadElement | null): unknown {
    if (node === null) throw new ShellError('an element is missing', 0);
    switch (node.type) {
      case 'Literal':
        if (node.regex) return this.#guard(node, () => regularExpression(node.regex!.pattern, node.regex!.flags));
        return typeof node.value === 'bigint' ? this.#guard(node, () => long(node.value)) : node.value;
      case 'TemplateLiteral':
        if (node.expressions.length > 0) break;
        return node.quasis[0]!.value.cooked;
      case 'ObjectExpression':
        return this.#object(node);
      case 'ArrayExpression':
        return node.elements.map((element) => this.value(element));
      case 'UnaryExpression':
        return this.#signed(node);
      case 'Identifier':
        if (Object.hasOwn(NAMES, node.name)) return NAMES[node.name];
        throw new ShellError(`${node.name} is not a value: texts are written in quotes`, node.start);
      case 'CallExpression':
      case 'NewExpression':
        return this.#made(node);
      default:
    }
    throw new ShellError(`“${this.#excerpt(node)}” is not a value that can be written here`, node.start);
  }

  #excerpt(node: Node): string {
    const all = this.#source.slice(node.start, node.end);
    return all.length > 30 ? `${all.slice(0, 30)}…` : all;
  }

  #guard<T>(node: Node, make: () => T): T {
    try {
      return make();
    } catch (error) {
      throw new ShellError(`${this.#excerpt(node)}: ${(error as Error).message}`, node.start);
    }
  }

  #object(node: Expression & { type: 'ObjectExpression' }): unknown {
    const made: Document = {};
    for (const property of node.properties) {
      if (property.type !== 'Property' || property.computed || property.method || property.shorthand || property.kind !== 'init') {
        throw new ShellError(`“${this.#excerpt(property)}”: fields are written as name: value`, property.start);
      }
      const { key } = property;
      const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : this.#excerpt(key);
      // An own property whatever its name, `__proto__` too.
      Object.defineProperty(made, name, { value: this.value(property.value), writable: true, enumerable: true, configurable: true });
    }
    const first = Object.keys(made)[0];
    if (first === undefined || !EXTENDED.has(first)) return made;
    return this.#guard(node, () => {
      const value: unknown = BSON.EJSON.deserialize(made, { relaxed: false });
      return value instanceof Date ? valid(value) : value;
    });
  }

  #signed(node: Expression & { type: 'UnaryExpression' }): unknown {
    const value = this.value(node.argument);
    if (node.operator === '-' && typeof value === 'number') return -value;
    if (node.operator === '-' && Long.isLong(value)) return value.negate();
    if (node.operator === '+' && typeof value === 'number') return value;
    throw new ShellError(`“${this.#excerpt(node)}” is not a value that can be written here`, node.start);
  }

  #made(node: Expression & { type: 'CallExpression' | 'NewExpression' }): unknown {
    const { callee } = node;
    const make = callee.type === 'Identifier' && Object.hasOwn(CONSTRUCTORS, callee.name) ? CONSTRUCTORS[callee.name] : undefined;
    if (make === undefined) {
      throw new ShellError(`“${this.#excerpt(callee)}” cannot be called here; known are ${Object.keys(CONSTRUCTORS).join(', ')}`, callee.start);
    }
    const given = node.arguments.map((argument) => this.value(argument));
    return this.#guard(node, () => make(...given));
  }
}

/** The value that `source` writes down; undefined if it is blank. */
export function parseValue(source: string): unknown {
  if (source.trim() === '') return undefined;
  // In parentheses, since a brace would otherwise open a block; they shift places by one.
  const wrapped = `(${source}\n)`;
  let tree: Expression;
  try {
    const [first, second] = parse(wrapped, { ecmaVersion: 2022 }).body;
    if (first?.type !== 'ExpressionStatement') throw new ShellError('a value is expected', 0);
    if (second !== undefined) throw new ShellError('something follows the end of the value', Math.max(second.start - 1, 0));
    tree = first.expression;
  } catch (error) {
    if (error instanceof ShellError) throw error;
    const { pos = 1, message } = error as SyntaxError & { pos?: number };
    throw new ShellError(message.replace(/\s*\(\d+:\d+\)$/, ''), Math.min(Math.max(pos - 1, 0), source.length));
  }
  try {
    return new Reader(wrapped).value(tree);
  } catch (error) {
    throw error instanceof ShellError ? new ShellError(error.message, Math.max(error.at - 1, 0)) : error;
  }
}

/** The document that `source` writes down; undefined if it is blank. */
export function parseDocumentSource(source: string): Document | undefined {
  const value = parseValue(source);
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || '_bsontype' in value) {
    throw new ShellError('a document in braces is expected, such as { year: 1999 }', 0);
  }
  return value as Document;
}

/** A name as it is written in a document: in quotes if it is not an identifier. */
export function writeName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
