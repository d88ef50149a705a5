import { setTimeout as rest } from "node:timers/promises";

/** Somebody who asks an address all the time, one request after the other, with a rest in between if one is given. */
export function visitor(ask: () => Promise<string>, restMs = 0) {
  const answers: string[] = [];
  const failures: unknown[] = [];
  const leaving = new AbortController();
  const visiting = (async () => {
    while (!leaving.signal.aborted) {
      await ask().then(
        (answer) => answers.push(answer),
        (error: unknown) => failures.push(error),
      );
      if (restMs > 0) await rest(restMs, undefined, { signal: leaving.signal }).catch(() => undefined); // they leave
    }
  })();
  const leave = async (): Promise<void> => {
    leaving.abort();
    await visiting;
  };
  return { answers, failures, leave };
}
