// How much of an answer MongoDB defines, by the command and what came before it.

/** No index but that of _id was ever there: every plan that does not use _id goes through the collection as it lies. */
export const hasIndexes = (commands) => commands.some((command) => command.has('createIndexes'));

const mentionsId = (filter) => JSON.stringify([...names(filter)]).includes('"_id"');

function names(v, found = new Set()) {
  if (Array.isArray(v)) v.forEach((item) => names(item, found));
  else if (v instanceof Map) for (const [name, item] of v) { found.add(name); names(item, found); }
  else if (v !== null && typeof v === 'object' && Object.getPrototypeOf(v) === Object.prototype) for (const [name, item] of Object.entries(v)) { found.add(name); names(item, found); }
  return found;
}

const isTotal = (sort) => sort instanceof Map && sort.has('_id');

/**
 * 'exact': compared as it is. 'multiset': the documents, in any order. 'undefined': which documents depends on the plan.
 */
export function definedness(command, indexed) {
  if (command.has('find')) {
    const picks = ['skip', 'limit', 'batchSize', 'singleBatch'].some((name) => command.has(name));
    const sort = command.get('sort');
    const natural = command.get('hint') instanceof Map;
    const asItLies = natural || (!indexed && !mentionsId(command.get('filter')));
    const exact = isTotal(sort) || ((sort === undefined || sort.size === 0) && asItLies);
    return exact ? 'exact' : picks ? 'undefined' : 'multiset';
  }
  const statements = command.get('updates') ?? command.get('deletes') ?? [];
  const several = (one) => one.get('multi') === true || one.get('limit') === 0;
  const defined = !Array.isArray(statements) || statements.every((one) => !(one instanceof Map) || several(one) || byId(one.get('q')));
  return defined ? 'exact' : 'undefined';
}

const byId = (q) => {
  if (!(q instanceof Map) || !q.has('_id')) return false;
  const id = q.get('_id');
  return !(id instanceof Map) || ![...id.keys()].some((name) => name.startsWith('$'));
};

/**
 * A write to several documents that failed on one of them has changed those that the plan came to before: nothing after it
 * can be compared, unless there is only one order to come to them.
 */
export function leavesUnknown(command, reply, indexed) {
  return command.has('updates') && reply.has('writeErrors') && indexed && command.get('updates').some((one) => one.get('multi') === true);
}
