// Makes a failing list of commands smaller while it keeps failing.

import { Tagged } from '../conformance/values.mjs';

const TRIES_MAX = 1500;

function* withoutParts(list) {
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let from = 0; from < list.length; from += size) yield [...list.slice(0, from), ...list.slice(from + size)];
  }
}

/** Simpler values than `v`, the simplest first. */
export function* simpler(v) {
  if (Array.isArray(v)) {
    yield* withoutParts(v);
    for (const [i, item] of v.entries()) for (const less of simpler(item)) yield v.with ? v.with(i, less) : Object.assign([...v], { [i]: less });
  } else if (v instanceof Map) {
    for (const part of withoutParts([...v])) yield new Map(part);
    for (const [name, item] of v) for (const less of simpler(item)) yield new Map([...v].map(([n, old]) => [n, n === name ? less : old]));
  } else if (typeof v === 'string') {
    if (v.length > 1) yield 'a';
  } else if (typeof v === 'bigint' || v instanceof Tagged) {
    yield 1;
    yield null;
  } else if (typeof v === 'number' && Math.abs(v) > 1) {
    yield 1;
  }
}

/**
 * @param {Map[]} commands
 * @param {(commands: Map[]) => Promise<boolean>} fails
 */
export async function shrink(commands, fails) {
  let best = commands;
  let tries = 0;
  const attempt = async (candidate) => {
    tries += 1;
    if (!(await fails(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let improved = true; improved && tries < TRIES_MAX;) {
    improved = false;
    for (const candidate of withoutParts(best)) {
      if (tries >= TRIES_MAX) break;
      if (candidate.length && (await attempt(candidate))) { improved = true; break; }
    }
    if (improved) continue;
    for (const candidate of simpler(best)) {
      if (tries >= TRIES_MAX) break;
      if (candidate.length && candidate.every((one) => one.size) && (await attempt(candidate))) { improved = true; break; }
    }
  }
  return best;
}
