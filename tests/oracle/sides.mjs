// The servers that the differential compares.

import { decode, double, encode } from '../conformance/values.mjs';

const drop = (collection) => new Map([['drop', collection]]);

/** A mongod. Each side has a connection of its own. */
export async function oracleSide(oracle) {
  const connection = await oracle.connect();
  return {
    command: (db, document) => connection.command(db, document),
    reset: (db, collection) => connection.command(db, drop(collection)),
    close: () => connection.close(),
  };
}

/** A mongod that makes the collection where it is told to make an index: its answers must be those of the one that does. */
export async function withoutIndexes(oracle) {
  const side = await oracleSide(oracle);
  return {
    ...side,
    skips: (command) => command.has('createIndexes') || command.has('dropIndexes'),
    instead: (db, command) => side.command(db, new Map([['create', command.get('createIndexes') ?? command.get('dropIndexes')]])),
  };
}

const NATURAL = ['hint', new Map([['$natural', 1]])];
const hinted = (map) => (map instanceof Map && !map.has('hint') ? new Map([...map, NATURAL]) : map);

/** The command, told to go through the collection as it lies. */
export function byCollectionScan(command) {
  if (command.has('find') || command.has('count')) return hinted(command);
  return new Map([...command].map(([name, v]) => [name, ['updates', 'deletes'].includes(name) && Array.isArray(v) ? v.map(hinted) : v]));
}

/** The same side, using no index to find documents. */
export const scanning = (side) => ({ ...side, command: (db, command) => side.command(db, byCollectionScan(command)) });

/** Our engine in this process, over a memory store. An engine that died is replaced. */
export async function engineSide() {
  const { createEngine } = await import('pandodb/engine').catch((error) => {
    throw new Error(`the engine is not built (npm run build): ${error.message}`);
  });
  let engine = await createEngine();
  let dead = false;
  const command = async (db, document) => {
    try {
      return decode(engine.command(db, encode(document)));
    } catch (error) { // errors are replies; what is thrown is a fault of the engine
      dead = true;
      return new Map([['ok', double(0)], ['code', 'thrown'], ['codeName', error.name], ['errmsg', error.stack ?? String(error)]]);
    }
  };
  return {
    command,
    reset: async (db, collection) => {
      if (dead) engine = await createEngine();
      dead = false;
      await command(db, drop(collection));
    },
    close: () => engine.close(),
  };
}
