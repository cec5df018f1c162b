// The build puts `glue.js` beside the compiled files (scripts/build.mjs).
import type { Glue } from './binding.js';

export function createGlue(): Glue;
