// The launcher: what it starts answers, and nothing of it is left after `stop`.

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { OracleAbsent, VERSION, startOracle } from './mongod.mjs';

test('starts a primary that answers, and leaves nothing behind', async (t) => {
  let oracle;
  try {
    oracle = await startOracle();
  } catch (error) {
    if (!(error instanceof OracleAbsent) || process.env.CI) throw error;
    t.skip(`no oracle: ${error.message}`);
    return;
  }
  const connection = await oracle.connect();
  assert.equal((await connection.command('admin', { buildInfo: 1 })).get('version'), VERSION);
  assert.equal((await connection.command('admin', { hello: 1 })).get('isWritablePrimary'), true);
  const replies = await Promise.all([1, 2, 3].map((n) => connection.command('test', { insert: 'c', documents: [{ _id: n }] })));
  assert.deepEqual(replies.map((reply) => reply.get('n')), [1, 1, 1]);
  const folder = (await connection.command('admin', { getCmdLineOpts: 1 })).get('parsed').get('storage').get('dbPath');
  assert.ok(existsSync(folder));
  const ended = connection.command('admin', { hello: 1, maxAwaitTimeMS: 5000, topologyVersion: (await connection.command('admin', { hello: 1 })).get('topologyVersion') });
  await oracle.stop();
  await assert.rejects(ended.then((reply) => { if (reply.get('ok').value !== 1) throw new Error('shutting down'); }));
  assert.ok(!readdirSync(tmpdir()).some((name) => folder.endsWith(name)));
});
