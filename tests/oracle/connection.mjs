// One TCP connection to a mongod, speaking OP_MSG: a command's BSON bytes in, the reply's BSON bytes out, untouched.
//
// Why not the official driver: it adds a session, a read preference and a cluster time to every command, checks some
// mistakes itself before the server sees them, and gives replies as objects. Here the server must see exactly what was
// written and we must see exactly what it answered.

import { connect } from 'node:net';
import { decode, encode } from '../conformance/values.mjs';

const OP_MSG = 2013;
const HEADER_BYTES = 16;

/** Command bytes with `$db` put at the end. */
export function withDatabase(bytes, db) {
  const name = Buffer.from(db);
  const field = Buffer.alloc(1 + 4 + 4 + name.length + 1);
  field.writeUInt8(0x02, 0);
  field.write('$db\0', 1);
  field.writeInt32LE(name.length + 1, 5);
  name.copy(field, 9);
  const whole = Buffer.concat([bytes.subarray(0, bytes.length - 1), field, Buffer.from([0])]);
  whole.writeInt32LE(whole.length, 0);
  return whole;
}

export class Connection {
  #socket;
  #waiting = new Map();
  #received = Buffer.alloc(0);
  #lastRequest = 0;
  #failure;

  /** Resolves once connected; rejects with the socket's error. */
  static open(port) {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  /** Sends command bytes as they are; resolves with the reply's bytes, errors (`ok: 0`) included. */
  bytes(db, command) {
    if (this.#failure) return Promise.reject(this.#failure);
    const body = withDatabase(Buffer.from(command), db);
    const head = Buffer.alloc(HEADER_BYTES + 5);
    this.#lastRequest += 1;
    head.writeInt32LE(head.length + body.length, 0);
    head.writeInt32LE(this.#lastRequest, 4);
    head.writeInt32LE(OP_MSG, 12);
    return new Promise((resolve, reject) => {
      this.#waiting.set(this.#lastRequest, { resolve, reject });
      this.#socket.write(head);
      this.#socket.write(body);
    });
  }

  /** As `bytes`, on documents (see ../conformance/values.mjs). */
  async command(db, document) {
    return decode(await this.bytes(db, encode(document)));
  }

  close() {
    this.#socket.destroy();
  }

  #receive(chunk) {
    this.#received = this.#received.length ? Buffer.concat([this.#received, chunk]) : chunk;
    while (this.#received.length >= 4) {
      const size = this.#received.readInt32LE(0);
      if (this.#received.length < size) return;
      const message = this.#received.subarray(0, size);
      this.#received = this.#received.subarray(size);
      const request = message.readInt32LE(8);
      const pending = this.#waiting.get(request);
      this.#waiting.delete(request);
      const start = HEADER_BYTES + 5;
      pending?.resolve(new Uint8Array(message.subarray(start, start + message.readInt32LE(start))));
    }
  }

  #fail(error) {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}
