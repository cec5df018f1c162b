// The conformance files through the npm package in Node: `pandodb/engine` over a memory store.
//
// A command that answers 238 NotImplemented is shown as skipped, with the feature it names; anything else that is not the
// expected answer fails.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine } from 'pandodb/engine';
import { conformanceFiles } from './files.mjs';
import { overBytes, runFile } from './runner.mjs';
import { decode } from './values.mjs';

for (const file of await conformanceFiles()) {
  const engine = await createEngine({ version: '6.0' });
  const results = await runFile(file, overBytes((db, bytes) => engine.command(db, bytes), decode));
  await engine.close();
  await test(file.name, async (t) => {
    for (const { name, problem, skipped, notYet } of results) {
      const skip = skipped ? `needs ${skipped}` : notYet ? `not implemented: ${notYet}` : false;
      await t.test(name, { skip }, () => assert.equal(problem, undefined, problem));
    }
  });
}
