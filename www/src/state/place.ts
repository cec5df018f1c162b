/**
 * Where one is on the page, kept in the fragment of the URL: the collection, its query, and the view of it.
 *
 * `#/` is the page for adding data, `#/movies?filter=…&sort=…&view=plan` a query. The last place is kept in the browser, so that the
 * bare URL leads back to it.
 */
import { signal } from '@preact/signals';

export type View = 'documents' | 'plan' | 'indexes';

export interface QueryText {
  filter: string;
  project: string;
  sort: string;
  skip: string;
  limit: string;
}

export interface Place {
  /** Undefined for the page for adding data. */
  collection: string | undefined;
  query: QueryText;
  view: View;
}

export const EMPTY_QUERY: QueryText = { filter: '', project: '', sort: '', skip: '', limit: '' };
export const QUERY_FIELDS = Object.keys(EMPTY_QUERY) as (keyof QueryText)[];
const VIEWS: readonly View[] = ['documents', 'plan', 'indexes'];
const KEY = 'pandodb-playground.place';

function readHash(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const given = new URLSearchParams(search);
  const query = { ...EMPTY_QUERY };
  for (const field of QUERY_FIELDS) query[field] = given.get(field) ?? '';
  const view = VIEWS.find((known) => known === given.get('view')) ?? 'documents';
  return { collection: path === '' ? undefined : decoded(path), query, view };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function writeHash({ collection, query, view }: Place): string {
  if (collection === undefined) return '#/';
  const given = new URLSearchParams();
  for (const field of QUERY_FIELDS) if (query[field] !== '') given.set(field, query[field]);
  if (view !== 'documents') given.set('view', view);
  const search = given.toString();
  return `#/${encodeURIComponent(collection)}${search === '' ? '' : `?${search}`}`;
}

function remembered(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

function remember(hash: string): void {
  try {
    localStorage.setItem(KEY, hash);
  } catch {
    // Without storage the URL alone keeps the place.
  }
}

export const place = signal<Place>(readHash(location.hash === '' ? remembered() : location.hash));

/** Goes to another place. `step`: as one that the back button returns from. */
export function go(change: Partial<Place>, { step = false } = {}): void {
  const next = { ...place.value, ...change };
  const hash = writeHash(next);
  place.value = next;
  remember(hash);
  if (hash === location.hash) return;
  if (step) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
}

/** Follows the back and forward buttons and links; `changed` is told. */
export function followHistory(changed: () => void): void {
  addEventListener('popstate', () => {
    place.value = readHash(location.hash);
    remember(location.hash);
    changed();
  });
}
