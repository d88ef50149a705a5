import type { Shell } from "./shell.ts";

/** A pause that ends when the bot has to. */
export async function pauseUnless({ wait }: Pick<Shell, "wait">, signal: AbortSignal, ms: number): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = (): void => resolve();
  signal.addEventListener("abort", stop, { once: true });
  await Promise.race([wait(ms), promise]);
  signal.removeEventListener("abort", stop);
}
