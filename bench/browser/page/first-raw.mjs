import { firstAnswer } from './raw.mjs';

globalThis.firstAnswer = firstAnswer;
