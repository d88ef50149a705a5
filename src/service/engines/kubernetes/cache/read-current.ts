import { Refusal } from "../../../engine.ts";
import { KubeUnreachable } from "../cluster/kube-api.ts";
import type { Kind } from "../cluster/kinds.ts";
import { listObjects } from "./list-objects.ts";
import { readRefusal } from "./read-refusal.ts";
import type { Reflection } from "./reflection.ts";

/** Resolves when the objects are current, after a list if need be. Rejects with a Refusal, or the signal's reason. */
export async function readCurrent<K extends Kind>(reflection: Reflection<K>, signal?: AbortSignal): Promise<void> {
  const { closing, limits } = reflection;
  const startedAt = performance.now();
  signal?.throwIfAborted();
  if (closing.signal.aborted) throw stopping();
  refuseDenied(reflection);
  if (isCurrent(reflection, startedAt)) return;
  const late = AbortSignal.timeout(limits.readMs);
  const ended = endOf([late, closing.signal, ...(signal ? [signal] : [])]);
  reflection.readers += 1;
  try {
    while (!isCurrent(reflection, startedAt)) await Promise.race([listObjects(reflection), ended.promise]);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (closing.signal.aborted) throw stopping();
    throw readRefusal(reflection.place, late.aborted ? lateError(reflection) : error, ageMs(reflection));
  } finally {
    reflection.readers -= 1;
    ended.forget();
  }
}

function stopping(): Refusal {
  return new Refusal(503, "Gantry is stopping. Nothing was changed. Try again.");
}

/** As of `at`, when the read began: a list that takes long is still current for those who waited for it. */
function isCurrent<K extends Kind>({ aliveAt, isDoubted, isWatching, limits }: Reflection<K>, at: number): boolean {
  if (aliveAt === undefined || isDoubted) return false;
  return at - aliveAt <= (isWatching ? limits.staleAfterMs : limits.staleWithoutWatchMs);
}

function refuseDenied<K extends Kind>(reflection: Reflection<K>): void {
  const { denied, limits, place } = reflection;
  if (!denied) return;
  // Somebody may have granted the right: the next read shows it.
  if (performance.now() - denied.at > limits.deniedReadMs) reflection.wake();
  throw readRefusal(place, denied.error, undefined);
}

function lateError<K extends Kind>({ lastError, isUnsettled, limits }: Reflection<K>): Error {
  const seconds = `${limits.readMs / 1_000} s`;
  const last = lastError instanceof Error ? ` after a failure: ${lastError.message}` : "";
  return new KubeUnreachable(
    isUnsettled ? `not back after ${seconds}${last}` : `the list takes longer than ${seconds}`,
  );
}

function ageMs<K extends Kind>({ aliveAt }: Reflection<K>): number | undefined {
  return aliveAt === undefined ? undefined : performance.now() - aliveAt;
}

/** Rejects when one of the signals aborts. */
function endOf(signals: readonly AbortSignal[]): { readonly promise: Promise<never>; readonly forget: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const end = (): void => reject(new Error("ended"));
  for (const signal of signals) signal.addEventListener("abort", end, { once: true });
  if (signals.some(({ aborted }) => aborted)) end();
  return {
    promise,
    forget() {
      for (const signal of signals) signal.removeEventListener("abort", end);
    },
  };
}
