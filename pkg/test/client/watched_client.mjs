// Our client with a function in place of the engine.
import { serialize } from 'bson';
import { Decoder } from '../../dist/bson/decode.js';
import { Encoder } from '../../dist/bson/encode.js';
import { HeapTarget } from '../../dist/bson/target.js';
import { MongoClient } from '../../dist/client.js';
import { read } from './op_msg_server.mjs';

export class WatchedClient extends MongoClient {
  #answer;

  constructor(answer, options) {
    super('memory://', options);
    this.#answer = answer;
  }

  execute(exchange) {
    try {
      const encoder = new Encoder();
      encoder.begin(new HeapTarget(), exchange.bson);
      exchange.write(encoder);
      const reply = serialize(this.#answer(read(encoder.copyFrom(0))));
      const decoder = new Decoder();
      decoder.begin(reply, new DataView(reply.buffer, reply.byteOffset, reply.length), 0, reply.length);
      return Promise.resolve(exchange.read(decoder));
    } catch (error) {
      return Promise.reject(error);
    }
  }
}
