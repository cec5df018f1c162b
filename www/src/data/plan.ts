/** The reply of `explain` as what the page draws: stages from the one that answers down to those that read, and totals. */
import type { Document } from 'pandodb';
import { oneLine } from './values.ts';

export interface PlanStage {
  name: string;
  /** What the stage does, in words. */
  meaning: string;
  /** Facts beside it: index, key, bounds, filter. */
  facts: [name: string, text: string][];
  returned: number | undefined;
  keysExamined: number | undefined;
  docsExamined: number | undefined;
  inputs: PlanStage[];
}

export interface PlanSummary {
  root: PlanStage;
  /** The indexes that are read; none for a scan of the whole collection. */
  indexes: string[];
  scansCollection: boolean;
  sortsInMemory: boolean;
  returned: number;
  keysExamined: number;
  docsExamined: number;
  milliseconds: number;
  rejected: number;
}

const MEANINGS: Record<string, string> = {
  COLLSCAN: 'Reads every document of the collection',
  IXSCAN: 'Reads a range of an index',
  IDHACK: 'Looks one _id up',
  EXPRESS_IXSCAN: 'Looks one key of an index up',
  EXPRESS_CLUSTERED_IXSCAN: 'Looks one _id up',
  FETCH: 'Gets the documents that the index names',
  SORT: 'Sorts in memory',
  SORT_MERGE: 'Merges sorted inputs',
  LIMIT: 'Stops after enough documents',
  SKIP: 'Leaves documents out at the beginning',
  PROJECTION_SIMPLE: 'Picks fields',
  PROJECTION_DEFAULT: 'Picks and shapes fields',
  PROJECTION_COVERED: 'Takes the fields from the index alone',
  OR: 'Unites its inputs',
  COUNT: 'Counts',
  COUNT_SCAN: 'Counts the keys of an index range',
  EOF: 'Answers nothing without reading anything',
};

const SHOWN: [field: string, label: string][] = [
  ['indexName', 'index'], ['keyPattern', 'key'], ['direction', 'direction'], ['isMultiKey', 'multikey'], ['isUnique', 'unique'],
  ['filter', 'filter'], ['sortPattern', 'sort'], ['limitAmount', 'limit'], ['skipAmount', 'skip'], ['transformBy', 'projection'],
  ['memLimit', 'memory limit'], ['usedDisk', 'used disk'],
];

/** Facts that say something only when they are true. */
const ONLY_WHEN_TRUE = new Set(['isMultiKey', 'isUnique', 'usedDisk']);
/** Figures of the sort that are of interest only to the engine. */
const HIDDEN = new Set(['memLimit']);

const numberOf = (value: unknown): number | undefined => (value === undefined || value === null ? undefined : Number(value));

function bounds(of: Document): [string, string][] {
  return Object.entries(of).map(([field, ranges]) => [`bounds of ${field}`, Array.isArray(ranges) ? ranges.join(', ') : String(ranges)]);
}

function factsOf(stage: Document): [string, string][] {
  const facts: [string, string][] = [];
  for (const [field, label] of SHOWN) {
    const value: unknown = stage[field];
    if (value === undefined || HIDDEN.has(field) || (ONLY_WHEN_TRUE.has(field) && value !== true)) continue;
    if (field === 'filter' && Object.keys(value as object).length === 0) continue;
    facts.push([label, typeof value === 'string' ? value : oneLine(value)]);
  }
  if (typeof stage.indexBounds === 'object' && stage.indexBounds !== null) facts.push(...bounds(stage.indexBounds as Document));
  return facts;
}

function inputsOf(stage: Document): Document[] {
  if (Array.isArray(stage.inputStages)) return stage.inputStages as Document[];
  return stage.inputStage === undefined ? [] : [stage.inputStage as Document];
}

function stageOf(stage: Document): PlanStage {
  const name = String(stage.stage);
  return {
    name,
    meaning: MEANINGS[name] ?? '',
    facts: factsOf(stage),
    returned: numberOf(stage.nReturned),
    keysExamined: numberOf(stage.keysExamined),
    docsExamined: numberOf(stage.docsExamined),
    inputs: inputsOf(stage).map(stageOf),
  };
}

function* walk(stage: PlanStage): Generator<PlanStage> {
  yield stage;
  for (const input of stage.inputs) yield* walk(input);
}

/** Undefined if the reply has no plan that was run. */
export function planOf(reply: Document): PlanSummary | undefined {
  const statistics = reply.executionStats as Document | undefined;
  const stages = statistics?.executionStages as Document | undefined;
  if (statistics === undefined || stages === undefined) return undefined;
  const root = stageOf(stages);
  const all = [...walk(root)];
  const indexes = all.flatMap(({ name, facts }) => {
    const named = facts.find(([label]) => label === 'index')?.[1];
    return named !== undefined ? [named] : name === 'IDHACK' ? ['_id_'] : [];
  });
  const planner = reply.queryPlanner as Document | undefined;
  return {
    root,
    indexes: [...new Set(indexes)],
    scansCollection: all.some(({ name }) => name === 'COLLSCAN'),
    sortsInMemory: all.some(({ name }) => name === 'SORT'),
    returned: Number(statistics.nReturned ?? 0),
    keysExamined: Number(statistics.totalKeysExamined ?? 0),
    docsExamined: Number(statistics.totalDocsExamined ?? 0),
    milliseconds: Number(statistics.executionTimeMillis ?? 0),
    rejected: Array.isArray(planner?.rejectedPlans) ? planner.rejectedPlans.length : 0,
  };
}

/** One line that says how the query was answered. */
export function briefPlan(plan: PlanSummary): string {
  const how = plan.indexes.length > 0
    ? `index ${plan.indexes.join(', ')}`
    : plan.scansCollection ? 'no index: whole collection read' : plan.root.name;
  return plan.sortsInMemory ? `${how}, sorted in memory` : how;
}
