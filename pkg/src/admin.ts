/** Commands about the whole engine. */
import type { Document } from './bson/types.js';
import type { Db } from './db.js';
import { Command } from './exchange.js';
import { copyDefined, type OperationOptions } from './options.js';

export interface ListDatabasesOptions extends OperationOptions {
  filter?: Document;
  nameOnly?: boolean;
  authorizedDatabases?: boolean;
}

export interface ListDatabasesResult {
  databases: ({ name: string; sizeOnDisk?: number; empty?: boolean } & Document)[];
  totalSize?: number;
  totalSizeMb?: number;
  ok: 1 | 0;
}

export class Admin {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Runs a command on the database `admin`. */
  async command(command: Document, options?: OperationOptions): Promise<Document> {
    const { client, bsonOptions } = this.#db;
    return client.execute(new Command('admin', command, { ...bsonOptions, ...options }, options?.signal));
  }

  async listDatabases(options?: ListDatabasesOptions): Promise<ListDatabasesResult> {
    const command: Document = { listDatabases: 1 };
    copyDefined(command, options, ['filter', 'nameOnly', 'authorizedDatabases', 'comment', 'maxTimeMS']);
    return (await this.command(command, options)) as ListDatabasesResult;
  }

  async ping(options?: OperationOptions): Promise<Document> {
    return this.command({ ping: 1 }, options);
  }

  async buildInfo(options?: OperationOptions): Promise<Document> {
    return this.command({ buildInfo: 1 }, options);
  }

  async serverInfo(options?: OperationOptions): Promise<Document> {
    return this.buildInfo(options);
  }

  async serverStatus(options?: OperationOptions): Promise<Document> {
    return this.command({ serverStatus: 1 }, options);
  }
}
