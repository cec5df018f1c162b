// explain: which stages, which index, how many documents were looked at.
import { cases, ofStages, state } from '../explains.mjs';

export default {
  given: state,
  keep: ['queryPlanner.namespace', ...ofStages('stage', 'indexName', 'keyPattern', 'direction'), 'executionStats.executionSuccess', 'executionStats.nReturned', 'executionStats.totalDocsExamined', 'ok'],
  cases,
};
