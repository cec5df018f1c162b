// What queries of the films must answer, computed in plain JavaScript from the file that the page imports.
import { DATASETS } from '../datasets/datasets.mjs';

export const films = await DATASETS.movies.documents();

/** A value of canonical Extended JSON as plain JSON has it. */
export function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  const [name, inner] = Object.entries(value)[0] ?? [];
  if (name === '$numberInt' || name === '$numberLong' || name === '$numberDouble') return Number(inner);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
}

/** Documents as a sorted list of texts, without the `_id` that the database made: the same for the same documents in any order. */
export const asMultiset = (documents) => documents.map(({ _id, ...film }) => JSON.stringify(film)).sort();

/** `{ "IMDB Rating": { $gte: 8 } }` */
export const wellRated = films.filter((film) => typeof film['IMDB Rating'] === 'number' && film['IMDB Rating'] >= 8);

/** `{ "Major Genre": "Drama", "US Gross": { $gt: 50000000 } }` */
export const grossingDramas = films.filter((film) => film['Major Genre'] === 'Drama' && typeof film['US Gross'] === 'number' && film['US Gross'] > 50_000_000);

/** `{ Director: null }`: null, or no such field. */
export const withoutDirector = films.filter((film) => film.Director === null || film.Director === undefined);
