/**
 * What the work brings. Node ends a process in which nothing is open, and a timer of the clock doesn't count: a start that
 * waits for the processes of an earlier engine, or a stop that waits for its own, would end in the middle.
 */
export async function keepAlive<Result>(work: Promise<Result>): Promise<Result> {
  const { port1 } = new MessageChannel();
  port1.ref();
  try {
    return await work;
  } finally {
    port1.close();
  }
}
