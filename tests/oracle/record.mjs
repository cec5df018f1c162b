// Writes conformance files: asks the oracle the inputs in `inputs/<area>/<name>.mjs` and writes what it answers to
// `../conformance/<area>/<name>.json`, one case a line.   node tests/oracle/record.mjs [area | area/name ...]

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ask, expectationFrom, parseFile, stage } from '../conformance/runner.mjs';
import { fieldsOf, toEjson } from '../conformance/values.mjs';
import { VERSION, startOracle } from './mongod.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const inputs = join(here, 'inputs');
const NAME_LENGTH_MAX = 140;
const CASE_FIELDS = ['source', 'given', 'keep', 'requires', 'command', 'commands', 'unordered', 'ignore'];

/** Short text for a value, for names only. */
function brief(value) {
  return toEjson(value)
    .replace(/\{"\$number(?:Int|Long|Double)":"([^"]*)"\}/g, '$1')
    .replace(/"([A-Za-z_$][\w$]*)":/g, '$1:')
    .replace(/\{"?\$numberDecimal"?:"([^"]*)"\}/g, 'Decimal($1)');
}

function nameOf(case_, used) {
  const commands = case_.commands ?? [case_.command];
  const all = commands.map((command) => brief(command).replace(/^\{|\}$/g, '')).join('; ');
  const short = case_.name ?? (all.length > NAME_LENGTH_MAX ? `${all.slice(0, NAME_LENGTH_MAX)}…` : all);
  let name = short;
  for (let n = 2; used.has(name); n += 1) name = `${short} #${n}`;
  used.add(name);
  return name;
}

/** The input as a conformance file without expectations, read back from its text so that it is what readers will see. */
function asFile(input) {
  const used = new Set();
  const cases = input.cases.map((case_) => {
    const fields = [['name', nameOf(case_, used)]];
    for (const name of CASE_FIELDS) if (case_[name] !== undefined) fields.push([name, case_[name]]);
    return new Map(fields);
  });
  const head = [['source', input.source ?? `mongod ${VERSION}`]];
  for (const name of ['given', 'keep', 'requires']) if (input[name] !== undefined) head.push([name, input[name]]);
  return parseFile(toEjson(new Map([...head, ['cases', cases]])));
}

function print(file) {
  const { cases, ...head } = file;
  const top = [...fieldsOf(head)].map(([name, value]) => `${JSON.stringify(name)}:${toEjson(value)},\n`).join('');
  return `{${top}"cases":[\n${cases.map((one) => toEjson(one)).join(',\n')}\n]}\n`;
}

async function record(file, command) {
  const prepareStage = stage(command);
  for (const case_ of file.cases) {
    await prepareStage(file, case_);
    const { replies, setting } = await ask(command, file, case_);
    const expected = replies.map((reply) => expectationFrom(reply, setting));
    case_.expect = case_.commands ? expected : expected[0];
  }
}

async function main(wanted) {
  const all = (await readdir(inputs, { recursive: true })).filter((name) => /\/.*\.mjs$/.test(name)).sort();
  const chosen = all.filter((name) => !wanted.length || wanted.some((w) => name === `${w}.mjs` || name.startsWith(`${w}/`)));
  const oracle = await startOracle();
  try {
    const connection = await oracle.connect();
    const command = (db, document) => connection.command(db, document);
    let total = 0;
    for (const name of chosen) {
      const { default: input } = await import(pathToFileURL(join(inputs, name)));
      const file = asFile(input);
      await record(file, command);
      const target = join(here, '../conformance', name.replace(/\.mjs$/, '.json'));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, print(file));
      const errors = file.cases.filter((one) => [one.expect].flat().some((e) => e.has('error'))).length;
      console.log(`${name}: ${file.cases.length} cases, ${errors} with errors`);
      total += file.cases.length;
    }
    console.log(`${total} cases`);
    connection.close();
  } finally {
    await oracle.stop();
  }
}

await main(process.argv.slice(2));
