/** What the empty fields of a query show: an example that fits the documents at hand. */
import type { Document } from 'pandodb';
import { writeName } from './shell.ts';

export interface Example {
  filter: string;
  sort: string;
  project: string;
}

/** With the first field of the document that a query can name; `_id`, which all have, if there is none. */
export function exampleFor(document: Document | undefined): Example {
  const named = Object.keys(document ?? {}).find((name) => name !== '_id' && name !== '' && !name.startsWith('$') && !name.includes('.'));
  const name = writeName(named ?? '_id');
  return { filter: `{ ${name}: { $exists: true } }`, sort: `{ ${name}: -1 }`, project: `{ ${name}: 1 }` };
}
