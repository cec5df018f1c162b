// Compiled, never run: what the types must accept, and what they must refuse.
import { Binary, Decimal128, MongoClient, ObjectId, ReturnDocument, type Filter, type WithId } from 'pandodb';
import { createEngine } from 'pandodb/engine';

interface Movie {
  _id?: ObjectId;
  title: string;
  year: number;
  tags: string[];
  imdb?: { rating: number };
  poster?: Binary;
  price?: Decimal128;
}
interface Counter {
  _id: string;
  n: number;
}

export async function accepted(): Promise<void> {
  await using client = new MongoClient('indexeddb://app/shop?durability=strict', { cacheBytesMax: 8 << 20, appName: 'x' });
  const movies = client.db().collection<Movie>('movies');
  const { insertedId } = await movies.insertOne({ title: 'A', year: 1999, tags: ['x'] });
  const id: ObjectId = insertedId;
  await movies.insertMany([{ title: 'B', year: 2000, tags: [] }], { ordered: false });
  const filter: Filter<Movie> = { year: { $gt: 1990 }, title: /a/i, tags: 'x', 'imdb.rating': { $gte: 5 }, $or: [{ year: 1 }, { _id: id }] };
  const found: WithId<Movie> | null = await movies.findOne(filter, { sort: { year: -1 }, projection: { title: 1 } });
  found?.title.toUpperCase();
  for await (const movie of movies.find({ year: { $in: [1999, 2000] } }).sort({ year: 1 }).limit(5)) movie._id.toHexString();
  const titles: string[] = await movies.find().map((movie) => movie.title).toArray();
  titles.join();
  await movies.updateOne({ _id: id }, { $set: { title: 'C', 'imdb.rating': 5 }, $inc: { year: 1 }, $push: { tags: { $each: ['a'] } }, $unset: { poster: '' } });
  await movies.updateMany({}, [{ $set: { x: 1 } }]);
  await movies.replaceOne({ _id: id }, { title: 'D', year: 1, tags: [] }, { upsert: true });
  const after = await movies.findOneAndUpdate({ _id: id }, { $inc: { year: 1 } }, { returnDocument: ReturnDocument.AFTER });
  after?.year.toFixed();
  const meta = await movies.findOneAndDelete({ _id: id }, { includeResultMetadata: true });
  meta.lastErrorObject?.n;
  await movies.createIndex({ year: 1, title: -1 }, { unique: true });
  const counters = client.db('x').collection<Counter>('counters');
  const key: string = (await counters.insertOne({ _id: 'a', n: 1 })).insertedId;
  await counters.findOne({ _id: key });
  const loose = client.db().collection('anything');
  await loose.insertOne({ whatever: [1, { a: null }] });
  const one = await loose.findOne({ a: { $exists: true }, 'b.c': 5 });
  one?.whatever.anything;
  await loose.aggregate<{ _id: number }>([{ $match: {} }]).toArray();
  const engine = await createEngine({ version: '6.0' });
  const reply: Uint8Array = engine.command('test', new Uint8Array(5));
  reply.length.toFixed();
}

export async function refused(client: MongoClient): Promise<void> {
  const movies = client.db().collection<Movie>('movies');
  const counters = client.db().collection<Counter>('counters');
  // @ts-expect-error: a required field is missing
  await movies.insertOne({ title: 'A', year: 1 });
  // @ts-expect-error: a wrong type
  await movies.findOne({ year: '1999' });
  // @ts-expect-error: a wrong type in an operator
  await movies.find({ year: { $gt: 'x' } }).toArray();
  // @ts-expect-error: an _id that is no ObjectId must be given
  await counters.insertOne({ n: 1 });
  // @ts-expect-error: a wrong type in an update
  await movies.updateOne({}, { $set: { year: 'x' } });
  // @ts-expect-error: an option that is none
  await movies.findOne({}, { sorted: 1 });
}
