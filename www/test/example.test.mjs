// The example in the empty fields of a query names a field that the documents have, and is one that can be run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './modules.mjs';

const { exampleFor } = await load('data/example.ts');
const { parseDocumentSource } = await load('data/shell.ts');

const CASES = [
  [{ _id: 1, Title: 'The Land Girls', Director: null }, 'Title'],
  [{ _id: 1, 'US Gross': 5 }, 'US Gross'],
  [{ _id: 1, 'a.b': 1, $c: 1, '': 1, 'it\'s "d"': 1 }, 'it\'s "d"'],
  [{ _id: 1 }, '_id'],
  [undefined, '_id'],
];

for (const [document, name] of CASES) {
  test(`the example for ${JSON.stringify(document)} names ${name}`, () => {
    const { filter, sort, project } = exampleFor(document);
    assert.deepEqual(parseDocumentSource(filter), { [name]: { $exists: true } });
    assert.deepEqual(parseDocumentSource(sort), { [name]: -1 });
    assert.deepEqual(parseDocumentSource(project), { [name]: 1 });
  });
}
