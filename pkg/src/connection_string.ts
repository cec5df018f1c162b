/**
 * `indexeddb://name[/defaultDb][?options]` and `memory://[name][/defaultDb][?options]`, and the options of a client.
 *
 * Options of the driver that speak of servers, pools and networks are accepted and have no effect, so that code which sets them runs;
 * an option that is neither theirs nor ours is refused, as there.
 */
import type { EngineConfig } from './binding.js';
import type { BSONSerializeOptions } from './bson/types.js';
import { MongoInvalidArgumentError, MongoParseError } from './error.js';
import type { EngineModuleSource } from './loader.js';

/** How sure a write is to be when it is reported as done. */
export interface WriteConcern {
  /** 0: nothing is reported. Any other value means the same here. */
  w?: number | 'majority';
  /** Wait until the write is on the disk, not only handed to the browser. */
  j?: boolean;
  wtimeout?: number;
}

/** Makes the `_id` of documents that have none. */
export interface PkFactory {
  createPk(): unknown;
}

/** Options of `MongoClient`. */
export interface MongoClientOptions extends BSONSerializeOptions {
  /** Memory for the pages that are kept at hand, in bytes. Default 32 MiB. */
  cacheBytesMax?: number;
  /** `strict`: a write is on the disk when its promise resolves. Default `relaxed`: the browser has it. */
  durability?: 'relaxed' | 'strict';
  /** How long opening and closing may wait for the browser and other tabs, in milliseconds. Default 10,000. */
  openTimeoutMS?: number;
  /** The version of MongoDB whose answers are given where they differ. Default 6.0. */
  version?: '6.0' | '8.0';
  /** Where the engine's WebAssembly comes from, if not from beside the package. */
  module?: EngineModuleSource;
  writeConcern?: WriteConcern;
  pkFactory?: PkFactory;
  /** Options of the driver about servers, pools and networks: accepted, without effect. */
  [option: string]: unknown;
}

export interface ConnectionSettings {
  engine: EngineConfig;
  defaultDb: string;
  bson: BSONSerializeOptions;
  writeConcern: WriteConcern | undefined;
  pkFactory: PkFactory | undefined;
  module: EngineModuleSource | undefined;
}

const CACHE_BYTES = 32 * 1024 * 1024;
const CACHE_BYTES_MIN = 1024 * 1024;

const BSON_OPTIONS = [
  'ignoreUndefined', 'serializeFunctions', 'promoteValues', 'promoteLongs', 'promoteBuffers', 'useBigInt64', 'bsonRegExp',
  'enableUtf8Validation', 'raw',
] as const;

const WITHOUT_EFFECT = new Set([
  'appname', 'authmechanism', 'authmechanismproperties', 'authsource', 'auth', 'autoselectfamily',
  'autoselectfamilyattempttimeout', 'compressors', 'connecttimeoutms',
  'directconnection', 'driverinfo', 'family', 'forceserverobjectid', 'heartbeatfrequencyms', 'keepalive', 'loadbalanced',
  'localthresholdms', 'lookup', 'maxconnecting', 'maxidletimems', 'maxpoolsize', 'maxstalenessseconds', 'minheartbeatfrequencyms',
  'minpoolsize', 'monitorcommands', 'nodelay', 'proxyhost', 'proxypassword', 'proxyport', 'proxyusername', 'readconcern',
  'readconcernlevel', 'readpreference', 'readpreferencetags', 'replicaset', 'retryreads', 'retrywrites', 'serverapi',
  'servermonitoringmode', 'serverselectiontimeoutms', 'sockettimeoutms', 'srvmaxhosts', 'srvservicename', 'ssl', 'timeoutms', 'tls',
  'waitqueuetimeoutms', 'wtimeoutms', 'zlibcompressionlevel', 'mongodblogpath', 'mongodblogcomponentseverities',
]);

const FORM = 'indexeddb://name[/defaultDb] for a database that the browser keeps, or memory:// for one in memory';

/** What `uri` and `options` say; options override the string's. */
export function parseConnection(uri: unknown, options: MongoClientOptions = {}): ConnectionSettings {
  if (typeof uri !== 'string') throw new MongoInvalidArgumentError(`A connection string is needed: ${FORM}`);
  const { store, name, defaultDb, query } = parseUri(uri);
  const given = { ...queryOptions(query), ...definedOptions(options) };
  const settings: ConnectionSettings = {
    engine: {
      store,
      name,
      cacheBytesMax: CACHE_BYTES,
      durability: 'relaxed',
      openTimeoutMS: 10_000,
      version: '6.0',
    },
    defaultDb: defaultDb === '' ? 'test' : defaultDb,
    bson: {},
    writeConcern: options.writeConcern,
    pkFactory: undefined,
    module: undefined,
  };
  for (const [option, value] of Object.entries(given)) apply(settings, option, value);
  const { bson } = settings;
  if (bson.useBigInt64 === true && (bson.promoteLongs === false || bson.promoteValues === false)) {
    throw new MongoInvalidArgumentError('Must request either bigint or Long for int64 deserialization');
  }
  return settings;
}

function parseUri(uri: string): { store: 'memory' | 'indexeddb'; name: string; defaultDb: string; query: string } {
  const parts = /^([a-z+]+):\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/is.exec(uri);
  const scheme = parts?.[1]?.toLowerCase();
  if (scheme === 'mongodb' || scheme === 'mongodb+srv') {
    throw new MongoParseError(`PandoDB does not connect to servers, so ${scheme}:// has no meaning here. Write ${FORM}`);
  }
  if (parts === null || (scheme !== 'indexeddb' && scheme !== 'memory')) {
    throw new MongoParseError(`Invalid connection string ${JSON.stringify(uri)}: write ${FORM}`);
  }
  const name = decoded(parts[2] ?? '', uri);
  if (scheme === 'indexeddb' && name === '') throw new MongoParseError(`The connection string ${JSON.stringify(uri)} names no database: write ${FORM}`);
  const defaultDb = decoded(parts[3] ?? '', uri);
  if (/[/\\. "$*<>:|?]/.test(defaultDb)) throw new MongoParseError(`Database name ${JSON.stringify(defaultDb)} in the connection string has a character that is not allowed`);
  return { store: scheme, name, defaultDb, query: parts[4] ?? '' };
}

function decoded(part: string, uri: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new MongoParseError(`The connection string ${JSON.stringify(uri)} has a % that begins no character`);
  }
}

function queryOptions(query: string): Record<string, unknown> {
  const found: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, text] of new URLSearchParams(query)) {
    found[canonicalName(name)] = text === 'true' ? true : text === 'false' ? false : /^-?\d+$/.test(text) ? Number(text) : text;
  }
  return found;
}

function definedOptions(options: MongoClientOptions): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

const OWN = new Map(
  [...BSON_OPTIONS, 'cacheBytesMax', 'durability', 'openTimeoutMS', 'version', 'module', 'writeConcern', 'pkFactory', 'w', 'journal', 'j']
    .map((name) => [name.toLowerCase(), name]),
);

/** Names in a connection string are not sensitive to case. */
function canonicalName(name: string): string {
  return OWN.get(name.toLowerCase()) ?? name;
}

function apply(settings: ConnectionSettings, option: string, value: unknown): void {
  const { engine, bson } = settings;
  if ((BSON_OPTIONS as readonly string[]).includes(option)) {
    if (typeof value !== 'boolean') throw new MongoParseError(`Option "${option}" must be a boolean`);
    (bson as Record<string, unknown>)[option] = value;
    return;
  }
  switch (option) {
    case 'cacheBytesMax':
      engine.cacheBytesMax = numberIn(option, value, CACHE_BYTES_MIN, 2 ** 31);
      return;
    case 'openTimeoutMS':
      engine.openTimeoutMS = numberIn(option, value, 1, 2 ** 31 - 1);
      return;
    case 'durability':
      engine.durability = oneOf(option, value, ['relaxed', 'strict']);
      return;
    case 'version':
      engine.version = oneOf(option, value === 8 ? '8.0' : value === 6 ? '6.0' : value, ['6.0', '8.0']);
      return;
    case 'w':
      settings.writeConcern = { ...settings.writeConcern, w: value as number | 'majority' };
      return;
    case 'j':
    case 'journal':
      settings.writeConcern = { ...settings.writeConcern, j: value === true };
      return;
    case 'writeConcern':
      settings.writeConcern = value as WriteConcern;
      return;
    case 'pkFactory':
      if (typeof (value as PkFactory | undefined)?.createPk !== 'function') {
        throw new MongoParseError('Option pkFactory must be an object with a createPk function');
      }
      settings.pkFactory = value as PkFactory;
      return;
    case 'module':
      settings.module = value as EngineModuleSource;
      return;
    default:
      if (!WITHOUT_EFFECT.has(option.toLowerCase())) throw new MongoParseError(`option ${option.toLowerCase()} is not supported`);
  }
}

function numberIn(option: string, value: unknown, least: number, most: number): number {
  if (typeof value !== 'number' || !(value >= least && value <= most)) {
    throw new MongoParseError(`Option "${option}" must be a number from ${least} to ${most}`);
  }
  return Math.floor(value);
}

function oneOf<T extends string>(option: string, value: unknown, allowed: readonly T[]): T {
  if (!allowed.includes(value as T)) throw new MongoParseError(`Option "${option}" must be one of ${allowed.join(', ')}`);
  return value as T;
}
