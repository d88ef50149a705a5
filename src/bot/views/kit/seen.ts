import type { Health, StoredChange } from "../../changes/stored-change.ts";

/** How the workload was at the last look, as every view shows it. */
export function seenOf({ health, progress }: Pick<StoredChange, "health" | "progress">): Health | undefined {
  return health ?? progress;
}

/** Nothing is left to look at after a deletion, once it shows. */
export function isFollowed({ op, ending }: Pick<StoredChange, "op" | "ending">): boolean {
  if (op !== "deleteService" && op !== "deleteJob") return true;
  return ending?.kind === "run" && ending.outcome.kind === "asked";
}
