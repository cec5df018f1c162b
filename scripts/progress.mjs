// What a person sees while the scripts work: one line when a step starts, one when it ends.
import { StepFailed } from './processes.mjs';

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code, text) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);

export const say = (text) => console.log(text);
export const title = (text) => console.log(`\n${paint('1', `== ${text}`)}`);
export const note = (text) => console.log(`   ${text}`);
export const warn = (text) => console.log(`   ${paint('33', `! ${text}`)}`);

export const took = (seconds) =>
  seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;

const SILENCE_SECONDS = 30;

let beating = false;

/** Says from time to time that long work goes on; inside of such work it adds nothing. */
export async function withHeartbeat(work) {
  if (beating) return work();
  beating = true;
  const started = performance.now();
  const timer = setInterval(() => note(`… ${took((performance.now() - started) / 1000)}`), SILENCE_SECONDS * 1000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    beating = false;
  }
}

/** Announces a step, does it, and says how long it took. */
export async function step(text, work) {
  console.log(`-- ${text}`);
  const started = performance.now();
  const result = await withHeartbeat(work);
  note(`${paint('32', 'done')} in ${took((performance.now() - started) / 1000)}`);
  return result;
}

/** The outer frame of a script: a failed step ends it with its message and exit code 1. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    console.error(`\n${paint('31', 'Stopped:')} ${error.message}`);
    process.exitCode = 1;
  }
}
