import { firstAnswer } from './pando.mjs';

globalThis.firstAnswer = firstAnswer;
