/**
 * The query of the current collection: its text, its answer, its plan.
 *
 * 1. Only the answer of the latest run is ever shown; an older one is ended and its cursor given back.
 * 2. Documents are read without promotion, so that every value keeps its type.
 */
import { signal } from '@preact/signals';
import type { Document, FindCursor, Sort } from 'pandodb';
import { planOf, type PlanSummary } from '../data/plan.ts';
import { parseDocumentSource, parseValue, ShellError } from '../data/shell.ts';
import { collection } from './database.ts';
import { EMPTY_QUERY, go, place, QUERY_FIELDS, type QueryText } from './place.ts';

export const PAGE_DOCUMENTS = 50;

/** What is wrong with the text of one field. */
export interface FieldError {
  message: string;
  at: number;
}

export interface Answer {
  state: 'running' | 'done' | 'failed';
  documents: readonly Document[];
  /** Whether there may be more to fetch. */
  more: boolean;
  fetching: boolean;
  /** Until the first page was there. */
  milliseconds: number;
  /** Documents that match, without limit; undefined until counted. */
  matching: number | undefined;
  plan: PlanSummary | undefined;
  planError: unknown;
  /** The reply of `explain` as it came. */
  explained: Document | undefined;
  error: unknown;
}

const NOTHING: Answer = {
  state: 'running', documents: [], more: false, fetching: false, milliseconds: 0, matching: undefined, plan: undefined, planError: undefined,
  explained: undefined, error: undefined,
};

/** The text in the fields, which may be ahead of the query that was run. */
export const draft = signal<QueryText>(EMPTY_QUERY);
export const fieldErrors = signal<Partial<Record<keyof QueryText, FieldError>>>({});
export const answer = signal<Answer | undefined>(undefined);

interface Query {
  filter: Document;
  projection: Document | undefined;
  sort: Document | undefined;
  skip: number | undefined;
  limit: number | undefined;
}

function wholeNumber(source: string): number | undefined {
  const value = parseValue(source);
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0x7fff_ffff) throw new ShellError('a whole number is expected', 0);
  return value;
}

function parseQuery(text: QueryText): Query | undefined {
  const errors: Partial<Record<keyof QueryText, FieldError>> = {};
  const read = <T>(field: keyof QueryText, parse: (source: string) => T): T | undefined => {
    try {
      return parse(text[field]);
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      errors[field] = { message: error.message, at: error.at };
      return undefined;
    }
  };
  const query = {
    filter: read('filter', parseDocumentSource) ?? {},
    projection: read('project', parseDocumentSource),
    sort: read('sort', parseDocumentSource),
    skip: read('skip', wholeNumber),
    limit: read('limit', wholeNumber),
  };
  fieldErrors.value = errors;
  return Object.keys(errors).length === 0 ? query : undefined;
}

interface Run {
  stop: AbortController;
  cursor: FindCursor<Document>;
  limit: number;
}

let run: Run | undefined;

function stopRun(): void {
  run?.stop.abort();
  void run?.cursor.close().catch(() => undefined);
  run = undefined;
}

function cursorOf(name: string, query: Query, signal: AbortSignal, exact: boolean): FindCursor<Document> {
  const { filter, projection, sort, skip, limit } = query;
  return collection(name).find(filter, {
    ...(projection && { projection }),
    ...(sort && { sort: sort as Sort }),
    ...(skip && { skip }),
    ...(limit && { limit }),
    batchSize: PAGE_DOCUMENTS,
    signal,
    ...(exact && { promoteValues: false, promoteLongs: false }),
  }) as unknown as FindCursor<Document>;
}

function update(current: Run, change: Partial<Answer>): void {
  if (run === current && answer.value !== undefined) answer.value = { ...answer.value, ...change };
}

async function fetchPage(current: Run, before: readonly Document[]): Promise<Partial<Answer>> {
  const { cursor, limit } = current;
  const documents = (await cursor.hasNext()) ? [...before, ...cursor.readBufferedDocuments(PAGE_DOCUMENTS)] : before;
  const more = cursor.bufferedCount() > 0 || (!cursor.closed && (limit === 0 || documents.length < limit));
  return { documents, more };
}

async function explainRun(current: Run, name: string, query: Query): Promise<void> {
  try {
    const explained = await cursorOf(name, query, current.stop.signal, false).explain('executionStats');
    update(current, { plan: planOf(explained), explained });
  } catch (planError) {
    update(current, { planError });
  }
}

async function countRun(current: Run, name: string, query: Query): Promise<void> {
  try {
    const matching = await collection(name).countDocuments(query.filter, { signal: current.stop.signal });
    update(current, { matching });
  } catch {
    // The number is a comfort; what is wrong with the query, the query itself has said.
  }
}

/** Runs what is in the fields, unless there is a mistake in them. */
export async function runQuery(): Promise<void> {
  const name = place.value.collection;
  if (name === undefined) return;
  const text = draft.value;
  const query = parseQuery(text);
  if (query === undefined) return;
  go({ query: text });
  stopRun();
  const stop = new AbortController();
  let current: Run;
  try {
    current = { stop, cursor: cursorOf(name, query, stop.signal, true), limit: query.limit ?? 0 };
  } catch (error) {
    // What the package refuses before it asks the engine, such as a direction of a sort.
    answer.value = { ...NOTHING, state: 'failed', error };
    return;
  }
  run = current;
  // What was shown stays until the new answer comes: the page does not jump.
  answer.value = { ...(answer.value ?? NOTHING), state: 'running', error: undefined };
  const started = performance.now();
  try {
    const page = await fetchPage(current, []);
    const milliseconds = performance.now() - started;
    if (run !== current) return;
    answer.value = { ...NOTHING, ...page, state: 'done', milliseconds };
  } catch (error) {
    if (run === current) answer.value = { ...NOTHING, state: 'failed', error };
    return;
  }
  await explainRun(current, name, query);
  await countRun(current, name, query);
}

export async function fetchMore(): Promise<void> {
  const current = run;
  const shown = answer.value;
  if (current === undefined || shown === undefined || !shown.more || shown.fetching) return;
  answer.value = { ...shown, fetching: true };
  try {
    update(current, { ...(await fetchPage(current, shown.documents)), fetching: false });
  } catch (error) {
    update(current, { fetching: false, more: false, error });
  }
}

/** Takes the fields from the place and runs them, or clears what is shown. */
export function showPlace(): void {
  draft.value = place.value.query;
  fieldErrors.value = {};
  stopRun();
  answer.value = undefined;
  if (place.value.collection !== undefined) void runQuery();
}

/** Runs another query of the same collection. */
export function runThis(query: Partial<QueryText>): void {
  draft.value = { ...EMPTY_QUERY, ...query };
  void runQuery();
}

export function resetQuery(): void {
  runThis(EMPTY_QUERY);
}

export const isChanged = (): boolean => QUERY_FIELDS.some((field) => draft.value[field] !== place.value.query[field]);

export function openCollection(name: string): void {
  go({ collection: name, query: EMPTY_QUERY, view: 'documents' }, { step: true });
  showPlace();
}

export function openAddData(): void {
  go({ collection: undefined, query: EMPTY_QUERY, view: 'documents' }, { step: true });
  showPlace();
}
