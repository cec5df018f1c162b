// Says what the engine's code weighs, by module of ours and by kind of generic code of the standard library that was
// made for our types. Read it when the size budget is exceeded. The figures are before wasm-opt and gzip: compare them
// with each other only.
//
//   node scripts/weigh.mjs [words]     after `npm run build`; with words, lists the functions whose names contain them all
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCAL_CACHE } from './places.mjs';
import { main, say } from './progress.mjs';

/** The functions of a module with a name section: [{ name, bytes }]. */
function functionsOf(bytes) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  const text = () => {
    const length = number();
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const sizes = [];
  const names = new Map();
  let imported = 0;
  const sections = {
    2: () => {
      for (let count = number(); count > 0; count--) {
        text();
        text();
        // wasm-bindgen's modules import functions (0) and perhaps globals (3).
        if (bytes[at++] === 0) imported++;
        else at++;
        number();
      }
    },
    10: () => {
      for (let count = number(); count > 0; count--) {
        sizes.push(number());
        at += sizes.at(-1);
      }
    },
    0: (end) => {
      if (text() !== 'name') return;
      while (at < end) {
        const kind = bytes[at++];
        const next = number() + at;
        if (kind === 1) for (let count = number(); count > 0; count--) names.set(number(), text());
        at = next;
      }
    },
  };
  while (at < bytes.length) {
    const id = bytes[at++];
    const end = number() + at;
    sections[id]?.(end);
    at = end;
  }
  return sizes.map((size, index) => ({ bytes: size, name: (names.get(index + imported) ?? '?').replace(/\[[0-9a-f]+\]/g, '') }));
}

const GENERIC = [
  ['generic: BTreeMap, BTreeSet', /alloc::collections::btree/],
  ['generic: sorting', /core::slice::sort/],
  ['generic: dropping', /drop_in_place/],
  ['generic: Debug, Display', /fmt::(Debug|Display|Write|LowerHex)|core::fmt/],
  ['generic: Vec', /raw_vec|alloc::vec/],
  ['numbers as text', /flt2dec|dec2flt|num::fmt/],
  ['JavaScript and futures', /wasm_bindgen|js_sys|web_sys|indexed_db_futures|futures/],
];

const groupOf = (name) =>
  GENERIC.find(([, pattern]) => pattern.test(name))?.[0] ?? /^<*(?:&\s*)?(pandodb::\w+)/.exec(name)?.[1] ?? /^<*(\w+)/.exec(name)?.[1] ?? 'other';

await main(async () => {
  const words = process.argv.slice(2);
  const functions = functionsOf(readFileSync(join(LOCAL_CACHE, 'engine', 'release', 'generated', 'generated_bg.wasm')));
  const line = (bytes, rest) => say(`${(bytes / 1000).toFixed(1).padStart(9)}  ${rest}`);
  if (words.length > 0) {
    const found = functions.filter(({ name }) => words.every((word) => name.includes(word))).sort((a, b) => b.bytes - a.bytes);
    for (const { name, bytes } of found.slice(0, 60)) line(bytes, name.slice(0, 200));
    line(found.reduce((sum, { bytes }) => sum + bytes, 0), `KB in ${found.length} functions`);
    return;
  }
  const groups = new Map();
  for (const { name, bytes } of functions) {
    const group = groups.get(groupOf(name)) ?? { bytes: 0, count: 0 };
    groups.set(groupOf(name), { bytes: group.bytes + bytes, count: group.count + 1 });
  }
  say('       KB  functions, group');
  for (const [name, { bytes, count }] of [...groups].sort((a, b) => b[1].bytes - a[1].bytes)) {
    if (bytes >= 1000) line(bytes, `${String(count).padStart(5)}  ${name}`);
  }
});
