import { forAMoment } from "../../../workloads/engine-parts.ts";
import type { CachedKind } from "../cache/namespace-cache.ts";
import { cacheOf, type Target } from "./target.ts";

/** Waits a moment until what was deleted is gone: then the answer can say so. `kind` changes when it goes. */
export async function isGoneSoon(target: Target, kind: CachedKind, isThere: () => boolean): Promise<boolean> {
  const gone = Promise.withResolvers<void>();
  const tell = (): void => {
    if (!isThere()) gone.resolve();
  };
  const end = cacheOf(target).onChange(kind, tell);
  try {
    tell();
    return await forAMoment(gone.promise, target.signal, target.parts.clock);
  } finally {
    end();
  }
}
