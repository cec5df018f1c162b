import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toGlue } from '../glue.mjs';

// The outer shape of what wasm-bindgen generates, with an instance that is a counter instead of a module.
const GENERATED = `/* @ts-self-types="./generated.d.ts" */

export class Engine {
    bump() {
        return wasm.bump();
    }
}

export function version() {
    return 'v1';
}

let wasmModule, wasmInstance, wasm;
async function __wbg_load(module, imports) {
    if (module) {
        return 1;
    }
    function nested() {
    }
}

function initSync({ module }) {
    let count = module;
    wasm = { bump: () => ++count };
    return wasm;
}

let __wbg_init_promise;
async function __wbg_init(module_or_path) {
    return fetch(module_or_path);
}

async function __wbg_init_once(module_or_path) {
    return fetch(module_or_path);
}

export { initSync, __wbg_init as default };
`;

const load = (text) => import(`data:text/javascript,${encodeURIComponent(text)}`);

test('every call gives a binding of its own', async () => {
  const { createGlue } = await load(toGlue(GENERATED));
  const [one, two] = [createGlue(), createGlue()];
  one.initSync({ module: 10 });
  two.initSync({ module: 20 });
  assert.equal(new one.Engine().bump(), 11);
  assert.equal(new one.Engine().bump(), 12);
  assert.equal(new two.Engine().bump(), 21);
  assert.equal(one.version(), 'v1');
  assert.notEqual(one.Engine, two.Engine);
});

test('nothing of the loading code is left', () => {
  const glue = toGlue(GENERATED);
  assert.doesNotMatch(glue, /__wbg_load|__wbg_init|fetch\(|import\.meta/);
});

test('the only export is createGlue', async () => {
  assert.deepEqual(Object.keys(await load(toGlue(GENERATED))), ['createGlue']);
});

for (const [what, change] of [
  ['an unknown export', (text) => `${text}export * from './other.js';\n`],
  ['no initSync', (text) => text.replace('export { initSync, __wbg_init as default };\n', '')],
  ['import.meta', (text) => text.replace("return 'v1';", 'return import.meta.url;')],
  ['evaluated text', (text) => text.replace("return 'v1';", "return eval('1');")],
  ['an instance kept elsewhere', (text) => text.replace('let wasmModule, wasmInstance, wasm;', 'const state = {};')],
  ['renamed loading code', (text) => text.replaceAll('__wbg_load', '__wbg_fetch')],
]) {
  test(`${what} stops the build`, () => {
    assert.throws(() => toGlue(change(GENERATED)), /new shape/);
  });
}

test('an engine that exports nothing stops the build', () => {
  const bare = GENERATED.slice(GENERATED.indexOf('let wasmModule'));
  assert.throws(() => toGlue(bare), /exports nothing/);
});
