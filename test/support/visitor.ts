/** Somebody who asks an address all the time, one request after the other. */
export function visitor(ask: () => Promise<string>) {
  const answers: string[] = [];
  const failures: unknown[] = [];
  const leaving = new AbortController();
  const visiting = (async () => {
    while (!leaving.signal.aborted) {
      await ask().then(
        (answer) => answers.push(answer),
        (error: unknown) => failures.push(error),
      );
    }
  })();
  const leave = async (): Promise<void> => {
    leaving.abort();
    await visiting;
  };
  return { answers, failures, leave };
}
