// Differences that are meant to be: the entries of ../conformance/differences.md, for the differential.

import { compare } from './differential.mjs';
import { hasIndexes } from './order.mjs';
import { scanning } from './sides.mjs';

/** Entry 1: MongoDB's answer by an index is not its answer by a collection scan, and ours is the latter. */
export const BY_INDEX_ONLY = 1;

/** @type {Array<{number: number, matches: (command: Map, difference: string) => boolean}>} entries told by the command alone */
const KNOWN = [];

const knownDifference = (command, text) => KNOWN.find(({ matches }) => matches(command, text))?.number;

/**
 * The first difference that no entry explains.
 * @param {{note?: (entry: number) => void, notYet?: Function}} options  `note` is told the entries that were needed
 * @returns {Promise<undefined | {index: number, text: string}>}
 */
export async function unexplained(commands, oracle, ours, { coverage, note, notYet } = {}) {
  const known = (command, text) => {
    const entry = knownDifference(command, text);
    if (entry !== undefined) note?.(entry);
    return entry;
  };
  const found = await compare(commands, oracle, ours, { coverage, known, notYet });
  if (!found || !hasIndexes(commands)) return found;
  const scanned = await compare(commands, scanning(oracle), ours, { known });
  if (scanned && scanned.index <= found.index) return found;
  note?.(BY_INDEX_ONLY);
  return scanned;
}
