// Documents out of a stream of text: whatever the text and however it is cut.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './modules.mjs';

const { DocumentSplitter, ImportError } = await load('data/split.ts');

function split(...chunks) {
  const splitter = new DocumentSplitter();
  const texts = chunks.flatMap((chunk) => [...splitter.push(chunk)].map(({ text }) => text));
  splitter.finish();
  return texts;
}

const DOCUMENTS = [{ a: 1 }, { b: '}{][,"\\' }, { c: { d: [{ e: '\\"' }, [], {}] } }, {}, { 'ž\u2028\n': '\u{1f333}' }];
const FORMS = {
  'an array': JSON.stringify(DOCUMENTS),
  'an indented array': JSON.stringify(DOCUMENTS, undefined, 2),
  'one document a line': DOCUMENTS.map((document) => JSON.stringify(document)).join('\n'),
  'lines that end as on Windows': `${DOCUMENTS.map((document) => JSON.stringify(document)).join('\r\n')}\r\n`,
  'documents side by side': DOCUMENTS.map((document) => JSON.stringify(document)).join(''),
  'a JSON text sequence': DOCUMENTS.map((document) => `\u001e${JSON.stringify(document)}\n`).join(''),
};

for (const [form, text] of Object.entries(FORMS)) {
  test(`${form}: the same documents wherever the text is cut`, () => {
    for (let size = 1; size <= text.length; size = size < 8 ? size + 1 : size * 2) {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
      assert.deepEqual(split(...chunks).map((piece) => JSON.parse(piece)), DOCUMENTS);
    }
  });
}

test('nothing, white space and an empty array have no documents', () => {
  for (const text of ['', ' \n\t', '[]', '[ ]\n']) assert.deepEqual(split(text), []);
});

const WRONG = [
  ['[{} {}]', 1, 5, /comma is missing/],
  ['[{}\n,]', 2, 2, /Expected a document, found “]”/],
  ['[{}', 1, 4, /before the array is closed/],
  ['{"a": 1', 1, 1, /ends inside a document/],
  ['{}\n  {"a": "}', 2, 3, /ends inside a document/],
  ['[{}] {}', 1, 6, /behind the end of the array/],
  ['[{}] x', 1, 6, /behind the end of the array/],
  ['{},{}', 1, 3, /found “,”/],
  ['a,b\n1,2', 1, 1, /found “a”/],
  ['[1, 2]', 1, 2, /found “1”/],
  [']', 1, 1, /found “]”/],
];

for (const [text, line, column, said] of WRONG) {
  test(`${JSON.stringify(text)} is refused with its place`, () => {
    assert.throws(() => split(text), (error) => {
      assert.ok(error instanceof ImportError);
      assert.match(error.message, said);
      assert.deepEqual([error.line, error.column], [line, column]);
      return true;
    });
  });
}

test('documents before an error come out before it', () => {
  const splitter = new DocumentSplitter();
  const texts = [];
  assert.throws(() => { for (const { text } of splitter.push('{"a":1}\n{"b":2}\nnonsense')) texts.push(text); }, /found “n”/);
  assert.deepEqual(texts, ['{"a":1}', '{"b":2}']);
});
