// Checks every conformance file against the oracle again: a file that the oracle contradicts is wrong, whatever we answer.

import { conformanceFiles } from '../conformance/files.mjs';
import { runFile } from '../conformance/runner.mjs';
import { VERSION } from './mongod.mjs';

/** @returns {Promise<{checked: number, problems: string[]}>} */
export async function recheck(command) {
  const ofOracle = (file) => (case_) => (case_.source ?? file.source) === `mongod ${VERSION}`;
  const problems = [];
  let checked = 0;
  for (const file of await conformanceFiles()) {
    const results = await runFile(file, command, { only: ofOracle(file), features: new Set(file.cases.flatMap((c) => c.requires ?? []).concat(file.requires ?? [])) });
    checked += results.length;
    for (const { name, problem } of results) if (problem) problems.push(`${file.name} › ${name}\n     ${problem}`);
  }
  return { checked, problems };
}
