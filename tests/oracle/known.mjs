// Differences that are meant to be: the entries of ../conformance/differences.md, for the differential.

/** @type {Array<{number: number, matches: (command: Map, difference: string) => boolean}>} */
const KNOWN = [];

/** The number of the entry that explains a difference. */
export const knownDifference = (command, text) => KNOWN.find(({ matches }) => matches(command, text))?.number;
