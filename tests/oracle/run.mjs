// npm run test:oracle: our answers beside those of a real MongoDB server.
//   node tests/oracle/run.mjs [--seed S]
// Without an oracle (no pip, another platform) it says so and passes; in CI (env CI) it fails.

import { parseArgs } from 'node:util';
import { OracleAbsent, startOracle } from './mongod.mjs';
import { recheck } from './recheck.mjs';

async function startOrSkip() {
  try {
    return await startOracle();
  } catch (error) {
    if (!(error instanceof OracleAbsent)) throw error;
    console.log(`skipped: no oracle (${error.message})`);
    if (process.env.CI) process.exitCode = 1;
    return undefined;
  }
}

async function recheckAll(oracle) {
  const connection = await oracle.connect();
  const { checked, problems } = await recheck((db, document) => connection.command(db, document));
  connection.close();
  for (const problem of problems) console.log(`✗ ${problem}`);
  console.log(`conformance files against the oracle: ${checked} cases, ${problems.length} contradicted`);
  if (problems.length) process.exitCode = 1;
}

async function main() {
  parseArgs({ options: {} });
  const oracle = await startOrSkip();
  if (!oracle) return;
  try {
    await recheckAll(oracle);
  } finally {
    await oracle.stop();
  }
}

await main();
