import type { Store } from "../../src/store/store.ts";

/** A mistake on purpose: what was claimed by a replica that is gone is handed out as approved, and claimed again. */
export function replayingStore(store: Store): Store {
  return {
    ...store,
    async openChanges() {
      const open = await store.openChanges();
      return open.map((change) => (change.state === "claimed" ? { ...change, state: "approved" } : change));
    },
    async claim(id, event) {
      const result = await store.claim(id, event);
      if (result.kind !== "lost") return result;
      const change = await store.findChange(id);
      return change?.state === "claimed" ? { kind: "claimed", change } : result;
    },
  };
}
