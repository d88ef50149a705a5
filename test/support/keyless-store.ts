import { newKey, readKeyring, createSealer } from "../../src/bot/accounts/seal.ts";
import type { StoredChange } from "../../src/bot/changes/stored-change.ts";
import type { Store } from "../../src/bot/store/store.ts";

export type KeylessStore = {
  /** Stands between the bot and its store. */
  readonly wrap: (real: Store) => Store;
  /** From now on changes are read as if they had been sealed with a key that is gone. */
  readonly loseKey: () => void;
};

/** A store whose changes can lose the key that sealed them. */
export function keylessStore(): KeylessStore {
  const lost = createSealer(readKeyring(newKey()));
  let isLost = false;
  const read = (change: StoredChange): StoredChange =>
    isLost ? { ...change, sealed: lost.seal("{}", ["change", change.id]) } : change;
  return {
    loseKey: () => void (isLost = true),
    wrap: (real) => ({
      ...real,
      async find(key) {
        const change = await real.find(key);
        return change === undefined ? undefined : read(change);
      },
      async advance(...args) {
        const result = await real.advance(...args);
        return result.kind === "busy" || result.change === undefined
          ? result
          : { ...result, change: read(result.change) };
      },
      async changeToDraw(...call) {
        const found = await real.changeToDraw(...call);
        return found === undefined ? undefined : { ...found, change: read(found.change) };
      },
    }),
  };
}
