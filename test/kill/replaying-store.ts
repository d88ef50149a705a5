import type { Store } from "../../src/bot/store/store.ts";

/** A mistake on purpose: what was claimed by a replica that is gone is handed out as approved, and claimed again. */
export function replayingStore(store: Store): Store {
  return {
    ...store,
    async find(key, teamId) {
      const change = await store.find(key, teamId);
      return change?.state === "claimed" ? { ...change, state: "approved" } : change;
    },
    async advance(id, step, event) {
      const result = await store.advance(id, step, event);
      if (step.name !== "claim" || result.kind !== "late") return result;
      const change = await store.find({ id: typeof id === "string" ? id : id.id });
      return change?.state === "claimed" ? { kind: "moved", change } : result;
    },
  };
}
