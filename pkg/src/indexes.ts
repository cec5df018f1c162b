/** Index specifications in every form that the driver takes, as the `createIndexes` command takes them. */
import type { Document } from './bson/types.js';
import { setOwn } from './bson/values.js';
import type { CollationOptions, WriteOptions } from './options.js';

export type IndexDirection = -1 | 1 | '2d' | '2dsphere' | 'text' | 'hashed' | number;

type OneSpecification = string | readonly [string, IndexDirection] | { [field: string]: IndexDirection } | Map<string, IndexDirection>;
export type IndexSpecification = OneSpecification | readonly OneSpecification[];

export interface IndexOptions {
  name?: string;
  unique?: boolean;
  sparse?: boolean;
  hidden?: boolean;
  background?: boolean;
  expireAfterSeconds?: number;
  partialFilterExpression?: Document;
  collation?: CollationOptions;
  storageEngine?: Document;
  version?: number;
  weights?: Document;
  default_language?: string;
  language_override?: string;
  textIndexVersion?: number;
  '2dsphereIndexVersion'?: number;
  bits?: number;
  min?: number;
  max?: number;
  wildcardProjection?: Document;
}

export interface CreateIndexCommandOptions extends WriteOptions {
  commitQuorum?: number | string;
}

export interface CreateIndexesOptions extends IndexOptions, CreateIndexCommandOptions {}

export interface IndexDescription extends IndexOptions {
  key: { [field: string]: IndexDirection } | Map<string, IndexDirection>;
}

const INDEX_OPTIONS: ReadonlySet<string> = new Set([
  'background', 'unique', 'partialFilterExpression', 'sparse', 'hidden', 'expireAfterSeconds', 'storageEngine', 'collation', 'version',
  'weights', 'default_language', 'language_override', 'textIndexVersion', '2dsphereIndexVersion', 'bits', 'min', 'max', 'bucketSize',
  'wildcardProjection',
]);

/** Options that the command spells in another way. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['version', 'v'], ['defaultLanguage', 'default_language'], ['languageOverride', 'language_override'],
]);

/** The key pattern of a specification, in its order. */
export function indexKey(specification: IndexSpecification): Map<string, IndexDirection> {
  const key = new Map<string, IndexDirection>();
  const single = !Array.isArray(specification) || isPair(specification);
  const parts = (single ? [specification] : specification) as readonly OneSpecification[];
  for (const part of parts) {
    if (typeof part === 'string') key.set(part, 1);
    else if (Array.isArray(part)) key.set(part[0] as string, (part[1] as IndexDirection | undefined) ?? 1);
    else for (const [field, direction] of part instanceof Map ? part : Object.entries(part as object)) key.set(field as string, direction as IndexDirection);
  }
  return key;
}

function isPair(specification: readonly unknown[]): boolean {
  const [field, direction] = specification;
  const isDirection = typeof direction === 'number' || ['2d', '2dsphere', 'text', 'hashed', 'geoHaystack'].includes(direction as string);
  return specification.length === 2 && typeof field === 'string' && isDirection;
}

/** An index as the command describes it, with the name that MongoDB gives it unless it has one. */
export function describeIndex(given: IndexDescription, allowUnknown = false): Document & { name: string } {
  const key = given.key instanceof Map ? given.key : new Map(Object.entries(given.key));
  const description: Document & { name: string } = { name: given.name ?? [...key].flat().join('_'), key };
  for (const [option, value] of Object.entries(given)) {
    if (option === 'key' || option === 'name' || value === undefined) continue;
    if (allowUnknown || INDEX_OPTIONS.has(option)) setOwn(description, RENAMED.get(option) ?? option, value);
  }
  return description;
}

/** Indexes by name, with their key as pairs. */
export function compactIndexes(indexes: readonly Document[]): Record<string, [string, IndexDirection][]> {
  const compact: Record<string, [string, IndexDirection][]> = {};
  for (const { name, key } of indexes) setOwn(compact, name as string, Object.entries(key as Record<string, IndexDirection>));
  return compact;
}
