/** Sort specifications and hints in every form that the driver takes, as the command takes them. */
import type { Document } from './bson/types.js';
import { setOwn } from './bson/values.js';
import { MongoInvalidArgumentError } from './error.js';

export type SortDirection = 1 | -1 | 'asc' | 'desc' | 'ascending' | 'descending' | { readonly $meta: string };

export type Sort =
  | string
  | ReadonlyArray<string>
  | { readonly [key: string]: SortDirection }
  | ReadonlyMap<string, SortDirection>
  | ReadonlyArray<readonly [string, SortDirection]>
  | readonly [string, SortDirection];

export type SortForCommand = Map<string, 1 | -1 | { readonly $meta: string }>;

/** The name or the key pattern of the index that is to be used. */
export type Hint = string | Document;

/** `sort` as an ordered map from field to direction; undefined if it names no field. */
export function formatSort(sort: Sort | undefined | null, direction?: SortDirection): SortForCommand | undefined {
  if (sort === undefined || sort === null) return undefined;
  if (typeof sort === 'string') return new Map([[sort, prepared(direction)]]);
  if (typeof sort !== 'object') {
    throw new MongoInvalidArgumentError(`Invalid sort format: ${JSON.stringify(sort)} Sort must be a valid object`);
  }
  const pairs = sortPairs(sort);
  if (pairs.length === 0) return undefined;
  return new Map(pairs.map(([field, way]) => [String(field), prepared(way)]));
}

function sortPairs(sort: Exclude<Sort, string>): (readonly [string, SortDirection])[] {
  if (!Array.isArray(sort)) {
    return sort instanceof Map ? [...(sort as ReadonlyMap<string, SortDirection>)] : Object.entries(sort as Record<string, SortDirection>);
  }
  if (Array.isArray(sort[0])) return sort as (readonly [string, SortDirection])[];
  if (sort.length === 2 && isDirection(sort[1])) return [[sort[0] as string, sort[1] as SortDirection]];
  return (sort as string[]).map((field) => [field, 1] as const);
}

function isDirection(value: unknown): boolean {
  try {
    prepared(value);
    return true;
  } catch {
    return false;
  }
}

function prepared(direction: unknown = 1): 1 | -1 | { readonly $meta: string } {
  if (typeof direction === 'object' && direction !== null && typeof (direction as { $meta?: unknown }).$meta === 'string') {
    return direction as { $meta: string };
  }
  switch (String(direction).toLowerCase()) {
    case 'ascending':
    case 'asc':
    case '1':
      return 1;
    case 'descending':
    case 'desc':
    case '-1':
      return -1;
    default:
      throw new MongoInvalidArgumentError(`Invalid sort direction: ${JSON.stringify(direction)}`);
  }
}

/** A hint as the command takes it: a list of names stands for an ascending key over them. */
export function normalizeHint(hint: unknown): Hint | undefined {
  if (typeof hint === 'string') return hint;
  if (Array.isArray(hint)) return listed(hint as string[]);
  if (typeof hint === 'object' && hint !== null) return hint;
  return undefined;
}

/** A projection as the command takes it: a list of names stands for including them. */
export function normalizeProjection(projection: unknown): unknown {
  if (!Array.isArray(projection)) return projection;
  return projection.length === 0 ? { _id: 1 } : listed(projection as string[]);
}

function listed(names: string[]): Document {
  const document: Document = {};
  for (const name of names) setOwn(document, name, 1);
  return document;
}
