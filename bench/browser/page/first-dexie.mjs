import { firstAnswer } from './dexie.mjs';

globalThis.firstAnswer = firstAnswer;
