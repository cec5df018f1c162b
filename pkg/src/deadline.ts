/** Waiting no longer than a given time, for what may never come. */

/**
 * What `work` gives, or undefined if that takes longer than `milliseconds`: then nothing is done about it, and what comes of it later,
 * an error too, is nobody's. Work that is done already needs no task of the event loop, so that it also ends while a page goes away.
 */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<{ readonly value: T } | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([work.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}
