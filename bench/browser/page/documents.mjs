// The documents of all stores: ten fields, about 300 B of BSON each. `_id` is left to the store's own way.

const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heath', 'inlet', 'jetty'];

/** BSON bytes of such a document, for a store that is given bytes only. */
export const DOCUMENT_BYTES = 300;

/** A small generator of numbers below 2^32 (mulberry32), the same for every run. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** The document of a number, without `_id`; `k` is the number. */
export function document(number) {
  const next = random(number);
  const word = () => WORDS[next() % WORDS.length];
  // Joined, so that it is one string, as parsed data is, and not a chain of pieces.
  const note = Array.from({ length: 20 }, word).join(' ');
  return {
    k: number,
    name: `${word()} ${word()}`,
    age: 18 + (next() % 72),
    score: next() / 43_000_000,
    active: next() % 2 === 0,
    city: word(),
    created: new Date(1_700_000_000_000 + number),
    tags: [word(), word()],
    note,
  };
}

/** `count` documents from a number on, new objects each time. */
export const documents = (count, from = 0) => Array.from({ length: count }, (_, place) => document(from + place));

/** How many of the first `count` documents are of this age, for the filter. */
export const AGE = 33;
export function ofAge(count) {
  let found = 0;
  for (let number = 0; number < count; number++) found += document(number).age === AGE ? 1 : 0;
  return found;
}
