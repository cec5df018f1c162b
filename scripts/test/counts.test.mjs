import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cargoCounts, cargoTargets, failureExcerpt, nodeCounts } from '../counts.mjs';

const CARGO = `
     Running unittests src/lib.rs (target/debug/deps/pandodb-1a2b)

running 3 tests
test a ... ok
test b ... FAILED

failures:

---- b stdout ----
thread 'b' panicked at src/lib.rs:4:5

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.25s

     Running tests/architecture.rs (target/debug/deps/architecture-1a2b)
test result: ok. 40 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 1.50s

   Doc-tests pandodb
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`;

test('cargo: the counts of all binaries are added up', () => {
  assert.deepEqual(cargoCounts(CARGO), { passed: 43, failed: 1, skipped: 2 });
});

test('cargo: each binary is told apart', () => {
  assert.deepEqual(cargoTargets(CARGO), [
    { target: 'src/lib.rs', passed: 2, failed: 1, seconds: 0.25 },
    { target: 'tests/architecture.rs', passed: 40, failed: 0, seconds: 1.5 },
    { target: 'doc-tests', passed: 1, failed: 0, seconds: 0 },
  ]);
});

test('cargo: output without a result line counts nothing', () => {
  assert.deepEqual(cargoCounts('error: could not compile `pandodb`'), { passed: 0, failed: 0, skipped: 0 });
});

test('node: cancelled tests count as failed, also in colour', () => {
  const text = '✔ a (1ms)\n\x1b[34mℹ tests 7\x1b[39m\nℹ suites 0\nℹ pass 3\nℹ fail 1\nℹ cancelled 1\nℹ skipped 1\nℹ todo 1\n';
  assert.deepEqual(nodeCounts(text), { passed: 3, failed: 2, skipped: 2 });
});

test('the excerpt of a failure starts where the failures are listed', () => {
  const text = `${'noise\n'.repeat(100)}failures:\n\n---- b stdout ----\n`;
  assert.match(failureExcerpt(text), /^noise\nnoise\nfailures:/);
  assert.equal(failureExcerpt('only this'), 'only this');
});
