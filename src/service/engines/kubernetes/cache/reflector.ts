import { setTimeout as sleep } from "node:timers/promises";
import { KubeError } from "../cluster/kube-api.ts";
import type { Kind, KubeObject } from "../cluster/kinds.ts";
import { countObjects, listObjects } from "./list-objects.ts";
import { readCurrent } from "./read-current.ts";
import { type ReadHealth, readHealthOf } from "./read-health.ts";
import { makeReflection, type Reflection, type ReflectorOptions, tellListeners } from "./reflection.ts";
import { backOffMs } from "./reconnects.ts";
import { watchObjects } from "./watch-objects.ts";

/** The objects of one kind in one namespace, as NamespaceCache describes them. */
export type Reflector<K extends Kind> = {
  readonly current: (signal?: AbortSignal) => Promise<void>;
  readonly all: () => readonly KubeObject<K>[];
  readonly find: (name: string) => KubeObject<K> | undefined;
  readonly saw: (object: KubeObject<K>) => void;
  readonly sawDeleted: (named: { readonly name: string; readonly uid: string }) => void;
  readonly onChange: (listener: (seen?: KubeObject<K>) => void) => () => void;
  /** Undefined before the first read. */
  readonly health: () => ReadHealth | undefined;
  readonly close: () => Promise<void>;
};

/** Lists and watches from the first `current` or `onChange` on. */
export function makeReflector<K extends Kind>(options: ReflectorOptions<K>): Reflector<K> {
  const reflection = makeReflection(options);
  const { store, listeners, closing } = reflection;
  let running: Promise<void> | undefined;
  const start = (): void => {
    if (!closing.signal.aborted) running ??= keepCurrent(reflection);
  };
  return {
    async current(signal) {
      start();
      await readCurrent(reflection, signal);
    },
    all: store.all,
    find: store.find,
    saw(object) {
      const taken = store.saw(object);
      // Which of the two is newer can't be told: the next read lists.
      if (taken === "unordered") reflection.isDoubted = true;
      else tellListeners(reflection, taken);
    },
    sawDeleted: (named) => tellListeners(reflection, store.sawDeleted(named)),
    onChange(listener) {
      start();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    health: () => (running ? readHealthOf(reflection) : undefined),
    async close() {
      closing.abort();
      reflection.watch?.abort(closing.signal.reason);
      reflection.wake();
      await Promise.allSettled([running, reflection.listing]);
    },
  };
}

/** Lists if needed, then watches, again and again. The pause after a failure is the only timer that starts a request. */
async function keepCurrent<K extends Kind>(reflection: Reflection<K>): Promise<void> {
  const { closing } = reflection;
  while (!closing.signal.aborted) {
    try {
      if (reflection.mustCount) await countObjects(reflection);
      if (reflection.mustList) await listObjects(reflection);
      await watchObjects(reflection);
    } catch (error) {
      if (closing.signal.aborted) return;
      reflection.failures += 1;
      await pause(reflection, error);
    }
  }
}

async function pause<K extends Kind>(reflection: Reflection<K>, error: unknown): Promise<void> {
  const { limits, denied, failures } = reflection;
  const { firstRetryMs, longestRetryMs, deniedRetryMs } = limits;
  const asked = error instanceof KubeError ? Math.min(60, error.retryAfterSeconds ?? 0) * 1_000 : 0;
  const ms = denied ? deniedRetryMs : backOffMs(failures, { firstMs: firstRetryMs, longestMs: longestRetryMs });
  const woken = new AbortController();
  reflection.wake = () => woken.abort();
  await sleep(Math.max(ms, asked), undefined, { signal: woken.signal }).catch(() => undefined);
  reflection.wake = () => undefined;
}
