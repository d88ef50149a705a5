import type { Clock } from "../../../../platform/clock.ts";
import type { LogWriter } from "../../../workloads/logs/log-writer.ts";
import type { Region } from "../regions.ts";
import { sourceKey } from "./log-reading.ts";
import { type ContainerSource, shownSources } from "./log-sources.ts";
import type { LoggedWorkload, PageOptions } from "./region-logs.ts";
import { logKey } from "./stored-logs.ts";

/** How far the log of a container is in the log store. */
type ReadMark = {
  readonly run: number;
  /** `WHOLE` if the run was read to its end, or who follows it: after a start, it is behind until it is followed again. */
  readonly by: string;
};

/** Each replica sees the mark, so it comes after the lines. Rejects while the database can't be used. */
export async function markRead(
  logs: Pick<LogWriter, "flush" | "mark">,
  source: ContainerSource,
  { run, by }: ReadMark,
): Promise<void> {
  await logs.flush();
  await logs.mark({ workload: source.workload, source: markOf(source) }, `${run}/${by}`);
}

/** Forgets the mark of a container that is gone. */
export async function endMark(logs: Pick<LogWriter, "endSource">, source: ContainerSource): Promise<void> {
  await logs.endSource({ workload: source.workload, source: markOf(source) });
}

export const WHOLE = "whole";

function markOf(source: ContainerSource): string {
  return `${sourceKey(source)}/read`;
}

/** A log that is behind is waited for this long: the bot waits 5 s for an answer. */
const CATCH_UP_MS = 2_000;
const LOOK_EVERY_MS = 100;

type Unread = {
  readonly region: Pick<Region, "cacheOf">;
  readonly logs: Pick<LogWriter, "collectedOf">;
  readonly clock: Pick<Clock, "elapsedMs" | "sleep">;
  /** Who collects, as the lease says. */
  readonly collector: () => string | undefined;
};

/** The pods of a page whose newest lines the collector hasn't read yet, after a short wait for them. */
export async function unreadPods(
  { region, logs, clock, collector }: Unread,
  workload: LoggedWorkload,
  { instance, signal }: Pick<PageOptions, "instance" | "signal">,
): Promise<readonly string[]> {
  const until = clock.elapsedMs() + CATCH_UP_MS;
  for (;;) {
    const marks = await logs.collectedOf(logKey(workload));
    const unread = shownSources(region, workload, instance).filter((source) =>
      isUnread(source, { marks, collector: collector() }),
    );
    if (unread.length === 0 || clock.elapsedMs() >= until) return [...new Set(unread.map(({ pod }) => pod))];
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

type Marks = { readonly marks: ReadonlyMap<string, string>; readonly collector: string | undefined };

function isUnread(source: ContainerSource, { marks, collector }: Marks): boolean {
  const [read = "", by] = marks.get(markOf(source))?.split("/") ?? [];
  if (read === "") return true;
  const { run, is } = source.state;
  const isRead = by === WHOLE || (is === "running" && by === collector);
  return Number(read) < run || (Number(read) === run && !isRead);
}
