import type { NewHistoryEvent } from "../changes/history-event.ts";
import { regionOf, type Regions } from "../commands/grammar/argument-types.ts";
import { typedTarget } from "../commands/verbs/watch/watch-message.ts";
import type { WatchTarget } from "../watch/watch.ts";

type Target = Pick<WatchTarget, "kind" | "names"> & Partial<WatchTarget>;

/** What a row of history says of a watch. A pattern is no workload: it begins the words. */
export function eventAbout(
  target: Target,
  settings: Pick<Regions, "jobsRegion">,
  result: string,
): Pick<NewHistoryEvent, "workload" | "result"> {
  const { kind, names, region = "" } = target;
  if (names.includes("*")) {
    return { workload: undefined, result: [typedTarget(target), result].filter(Boolean).join(": ") };
  }
  return { workload: { kind: kind ?? "workload", region: regionOf(kind, region, settings), name: names }, result };
}
