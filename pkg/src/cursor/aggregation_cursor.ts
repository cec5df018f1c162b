/** The documents that a pipeline makes. */
import type { BSONSerializeOptions, Document } from '../bson/types.js';
import type { MongoClient } from '../client.js';
import type { WriteConcern } from '../connection_string.js';
import { Command } from '../exchange.js';
import type { Namespace } from '../namespace.js';
import {
  copyDefined, copyReadConcern, explainOption, explainVerbosity, type CollationOptions, type ExplainOption,
  type ExplainVerbosityLike, type ReadOptions,
} from '../options.js';
import type { Hint, Sort } from '../sort.js';
import { AbstractCursor } from './abstract_cursor.js';

export interface AggregateOptions extends ReadOptions {
  allowDiskUse?: boolean;
  batchSize?: number;
  bypassDocumentValidation?: boolean;
  collation?: CollationOptions;
  cursor?: Document;
  /** The plan is given in place of the documents. */
  explain?: ExplainOption;
  hint?: Hint;
  let?: Document;
  maxAwaitTimeMS?: number;
  writeConcern?: WriteConcern;
}

export class AggregationCursor<TSchema = Document> extends AbstractCursor<TSchema> {
  readonly pipeline: Document[];
  readonly #aggregate: AggregateOptions;

  constructor(client: MongoClient, namespace: Namespace, pipeline: Document[], options: AggregateOptions, bson: BSONSerializeOptions) {
    const own = { ...options };
    super(client, namespace, own, bson);
    this.pipeline = pipeline;
    this.#aggregate = own;
  }

  protected override command(): Document {
    const options = this.#aggregate;
    // The number 1 stands for the database itself.
    const command: Document = { aggregate: this.namespace.collection || 1, pipeline: this.pipeline };
    const last = this.pipeline.at(-1);
    const writes = last !== undefined && (last.$out !== undefined || last.$merge !== undefined);
    if (writes) copyDefined(command, options, ['writeConcern']);
    copyDefined(command, options, ['bypassDocumentValidation', 'allowDiskUse', 'let', 'comment', 'collation', 'maxTimeMS']);
    if (options.hint) command.hint = options.hint;
    copyReadConcern(command, options);
    command.cursor = options.batchSize && !writes ? { ...options.cursor, batchSize: options.batchSize } : (options.cursor ?? {});
    return command;
  }

  protected override get explaining(): string | undefined {
    return explainOption(this.#aggregate.explain);
  }

  clone(): AggregationCursor<TSchema> {
    return new AggregationCursor<TSchema>(this.client, this.namespace, this.pipeline, this.#aggregate, this.bson);
  }

  override map<T>(transform: (document: TSchema) => T): AggregationCursor<T> {
    return super.map(transform) as unknown as AggregationCursor<T>;
  }

  async explain(verbosity?: ExplainVerbosityLike | { verbosity?: ExplainVerbosityLike }): Promise<Document> {
    const explain = { explain: this.command(), verbosity: explainVerbosity(verbosity) };
    return this.client.execute(new Command(this.namespace.db, explain, this.bson, this.options.signal));
  }

  addStage<T = TSchema>(stage: Document): AggregationCursor<T> {
    this.throwIfStarted();
    this.pipeline.push(stage);
    return this as unknown as AggregationCursor<T>;
  }

  match($match: Document): this {
    return this.addStage({ $match }) as this;
  }

  group<T = TSchema>($group: Document): AggregationCursor<T> {
    return this.addStage<T>({ $group });
  }

  project<T = Document>($project: Document): AggregationCursor<T> {
    return this.addStage<T>({ $project });
  }

  lookup($lookup: Document): this {
    return this.addStage({ $lookup }) as this;
  }

  unwind($unwind: Document | string): this {
    return this.addStage({ $unwind }) as this;
  }

  sort($sort: Sort): this {
    return this.addStage({ $sort }) as this;
  }

  skip($skip: number): this {
    return this.addStage({ $skip }) as this;
  }

  limit($limit: number): this {
    return this.addStage({ $limit }) as this;
  }

  redact($redact: Document): this {
    return this.addStage({ $redact }) as this;
  }

  geoNear($geoNear: Document): this {
    return this.addStage({ $geoNear }) as this;
  }

  out($out: { db: string; coll: string } | string): this {
    return this.addStage({ $out }) as this;
  }
}
