/**
 * Tasks of their own for the engine: a long command gives the thread back every few milliseconds and asks to be called again.
 * A message to oneself comes back after what the page has waiting (input, rendering) and is not slowed down as timers are.
 */

/** A function that runs what it is given in a later task; what is thrown there goes to `onError`. */
export function scheduler(onError: (reason: unknown) => void): (run: () => void) => void {
  const guarded = (run: () => void): void => {
    try {
      run();
    } catch (reason) {
      onError(reason);
    }
  };
  // Node: an open message port would keep the process from ending.
  const { setImmediate } = globalThis as { setImmediate?(run: () => void): void };
  if (typeof setImmediate === 'function') return (run) => setImmediate(() => guarded(run));
  let channel: MessageChannel | undefined;
  const waiting: (() => void)[] = [];
  return (run) => {
    if (channel === undefined) {
      channel = new MessageChannel();
      channel.port1.onmessage = () => {
        const next = waiting.shift();
        if (next !== undefined) guarded(next);
      };
    }
    waiting.push(run);
    channel.port2.postMessage(null);
  };
}
