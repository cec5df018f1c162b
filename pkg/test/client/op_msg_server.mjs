// A server of the wire protocol that answers every command by a function: so the official driver can be watched.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { deserialize, serialize } from 'bson';

const HELLO = {
  helloOk: true, isWritablePrimary: true, ismaster: true, maxBsonObjectSize: 16 * 1024 * 1024, maxMessageSizeBytes: 48000000,
  maxWriteBatchSize: 100000, minWireVersion: 0, maxWireVersion: 21, readOnly: false, ok: 1,
};
const OP_MSG = 2013;

/** Starts a server on loopback. `answer(command)` gives the reply to each command but the driver's own. */
export async function startServer(answer) {
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
        const size = received.readInt32LE(0);
        respond(socket, received.subarray(0, size), answer);
        received = received.subarray(size);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    uri: `mongodb://127.0.0.1:${server.address().port}/?directConnection=true&serverMonitoringMode=poll&retryReads=false&retryWrites=false`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function respond(socket, message, answer) {
  const request = message.readInt32LE(4);
  if (message.readInt32LE(12) !== OP_MSG) return socket.destroy();
  const command = parse(message);
  const isOwn = 'hello' in command || 'endSessions' in command || 'isMaster' in command;
  const reply = isOwn ? { ...HELLO, localTime: new Date() } : answer(command);
  const moreToCome = (message.readUInt32LE(16) & 2) !== 0;
  if (!moreToCome) socket.write(frame(request, serialize(reply)));
}

function parse(message) {
  let command = {};
  let at = 20;
  while (at < message.length) {
    const kind = message[at++];
    const size = message.readInt32LE(at);
    if (kind === 0) {
      command = { ...read(message.subarray(at, at + size)), ...command };
    } else {
      const end = at + size;
      const nameEnd = message.indexOf(0, at + 4);
      const documents = [];
      for (let from = nameEnd + 1; from < end; from += message.readInt32LE(from)) {
        documents.push(read(message.subarray(from, from + message.readInt32LE(from))));
      }
      command[message.toString('utf8', at + 4, nameEnd)] = documents;
    }
    at += size;
  }
  return command;
}

export const read = (bytes) => deserialize(bytes, { promoteValues: false, bsonRegExp: true });

function frame(request, body) {
  const header = Buffer.alloc(21);
  header.writeInt32LE(21 + body.length, 0);
  header.writeInt32LE(1, 4);
  header.writeInt32LE(request, 8);
  header.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([header, body]);
}
