// Runs in the page: conformance files against a client of the package over the store that the connection string names.
import { MongoClient } from 'pandodb';
import { overBytes, parseFile, runFile } from '../conformance/runner.mjs';
import { decode } from '../conformance/values.mjs';

/** A command that is BSON already, whose reply is wanted as BSON, on the way that the classes of the package send theirs. */
const asBytes = (db, bytes) => ({
  bson: undefined,
  write(encoder) {
    const start = encoder.open();
    encoder.bytes(bytes.subarray(4, bytes.length - 1));
    encoder.field('$db', db);
    encoder.close(start);
  },
  read: (reply) => reply.copy(),
});

/** The results of the file with this text; a store that was there is used again, emptied. */
globalThis.runConformance = async (uri, text) => {
  const client = await new MongoClient(uri, { version: '6.0' }).connect();
  try {
    return await runFile(parseFile(text), overBytes((db, bytes) => client.execute(asBytes(db, bytes)), decode));
  } finally {
    await client.close();
  }
};
