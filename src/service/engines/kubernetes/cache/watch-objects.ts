import { KubeUnreachable, type WatchEvent } from "../cluster/kube-api.ts";
import type { Kind } from "../cluster/kinds.ts";
import { TooManyObjects, tooMany } from "./read-refusal.ts";
import { noteFailure, noteRecovery, type Reflection, RESUME, tellListeners, WatchSilent } from "./reflection.ts";

/** Watches the objects until the watch ends as usual. Rejects when it failed, ended too soon or fell silent. */
export async function watchObjects<K extends Kind>(reflection: Reflection<K>): Promise<void> {
  const { closing, reconnects } = reflection;
  if (reflection.isUnsettled) await reconnects.turn(closing.signal, () => false);
  const stop = new AbortController();
  reflection.watch = stop;
  const startedAt = performance.now();
  const isYoung = (): boolean => performance.now() - startedAt < reflection.limits.healthyAfterMs;
  try {
    await watchUntil(reflection, stop);
    if (isYoung()) throw new KubeUnreachable("the watch ended as soon as it had begun");
    reflection.failures = 0;
  } catch (error) {
    if (closing.signal.aborted || error === RESUME) return;
    if (!isYoung()) reflection.failures = 0;
    noteFailure(reflection, error, error instanceof TooManyObjects ? "list" : "watch");
    throw error;
  } finally {
    reflection.isWatching = false;
    reflection.watch = undefined;
  }
}

async function watchUntil<K extends Kind>(reflection: Reflection<K>, stop: AbortController): Promise<void> {
  const { api, place, labelSelector, limits, store } = reflection;
  const { silentAfterMs } = limits;
  const silence = setTimeout(() => {
    reflection.mustCount = true;
    stop.abort(new WatchSilent(`the watch was silent for ${Math.round(silentAfterMs / 1_000)} s`));
  }, silentAfterMs);
  let openedAt = performance.now();
  const options = {
    resourceVersion: store.version() ?? "",
    timeoutSeconds: Math.ceil(limits.watchSeconds * (1 + Math.random())),
    ...(labelSelector !== undefined && { labelSelector }),
    onOpen() {
      openedAt = performance.now();
      opened(reflection);
    },
    onEvent(event: WatchEvent<K>) {
      if (stop.signal.aborted) return;
      silence.refresh();
      // The first events of a resumed watch are those that were missed: until they are through, others may follow.
      const isBehind = reflection.isDoubted && performance.now() - openedAt < limits.catchUpMs;
      took(reflection, event, isBehind);
    },
  };
  try {
    await api.watch(place, options, stop.signal);
  } finally {
    clearTimeout(silence);
  }
}

function opened<K extends Kind>(reflection: Reflection<K>): void {
  reflection.isWatching = true;
  reflection.isUnsettled = false;
  if (reflection.denied?.by === "watch") reflection.denied = undefined;
  noteRecovery(reflection);
}

function took<K extends Kind>(reflection: Reflection<K>, event: WatchEvent<K>, isBehind: boolean): void {
  const { store, limits } = reflection;
  if (!isBehind) {
    reflection.aliveAt = performance.now();
    reflection.isDoubted = false;
  }
  tellListeners(reflection, store.event(event), "object" in event ? event.object : undefined);
  if (store.size() > limits.maxObjects) reflection.watch?.abort(tooMany(reflection.place.kind, limits.maxObjects));
}
