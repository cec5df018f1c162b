// The same explains as in plans.mjs: the bounds in MongoDB's own notation, and its count of keys, overshoots of a seek included.
import { cases, ofStages, state } from '../explains.mjs';

export default {
  given: state,
  keep: [...ofStages('isMultiKey', 'indexBounds'), 'executionStats.totalKeysExamined', 'ok'],
  cases: cases.filter(({ command, keep }) => !keep && command?.explain?.find === 'c' && command.verbosity === 'executionStats'),
};
