// The servers that the differential compares.

import { decode, encode } from '../conformance/values.mjs';

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

/** Our engine in this process, over a memory store. An engine that died is replaced. */
export async function engineSide() {
  const { createEngine } = await import('pandodb/engine');
  let engine = await createEngine();
  const command = async (db, document) => decode(engine.command(db, encode(document)));
  return {
    command,
    reset: async (db, collection) => {
      try {
        await command(db, drop(collection));
      } catch {
        engine = await createEngine();
      }
    },
    close: () => engine.close(),
  };
}
