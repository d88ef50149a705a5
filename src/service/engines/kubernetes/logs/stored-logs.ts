import type { Clock } from "../../../../platform/clock.ts";
import { dayOf, type LogWriter } from "../../../workloads/logs/log-writer.ts";
import { type LoggedWorkload, type PageOptions, type RegionLogs, speakerOf, withNotes } from "./region-logs.ts";

/**
 * The logs that the collector stored. A day that can't be complete ends with a line that says so: it counts as the
 * newest line of that day, so that pages stay consistent.
 */
export function storedLogs({
  logs,
  clock,
  problem,
  unreadPods,
}: {
  readonly logs: LogWriter;
  readonly clock: Pick<Clock, "now">;
  /** Why no lines of a namespace arrive at the moment; undefined while they do. */
  readonly problem: (namespace: string) => string | undefined;
  /** The pods of a page of today whose newest lines aren't here yet. */
  readonly unreadPods: (workload: LoggedWorkload, page: PageOptions) => Promise<readonly string[]>;
}): RegionLogs {
  return {
    async page(workload, options) {
      const { instance, day, from, size } = options;
      const note = await noteFor(workload, options);
      const notes = note === undefined ? [] : [note];
      const speaker = instance ?? speakerOf(workload);
      return await withNotes({ from, size, speaker, notes }, (skip, count) =>
        logs.page({ workload: logKey(workload), instance, day, from: skip, size: count }),
      );
    },
    hasInstance: (workload, instance) => logs.hasInstance(logKey(workload), instance),
    instances: (workload) => logs.instances(logKey(workload)),
  };

  async function noteFor(workload: LoggedWorkload, page: PageOptions): Promise<string | undefined> {
    const { day } = page;
    const today = dayOf(clock.now());
    const why = day === today ? problem(workload.namespace) : undefined;
    if (why !== undefined) return `newer lines are missing: ${why}`;
    const isBefore = day < workload.createdAt.slice(0, 10);
    if (isBefore || day > today) return undefined;
    if (await wasCollectedOn(logs, workload, day)) {
      const unread = day === today ? await unreadPods(workload, page) : [];
      if (unread.length === 0) return undefined;
      const pods = unread.length === 1 ? unread[0] : `${unread.length} pods`;
      return `newer lines of ${pods} can be missing: Gantry hasn't read them yet`;
    }
    return day === today
      ? "Gantry has just begun to collect this log: its lines appear in a few seconds"
      : "Gantry collected no logs on this day, so lines may be missing";
  }
}

type Place = Pick<LoggedWorkload, "region" | "namespace">;

const UNTIL = "collected-until";
const dayMark = (day: string): string => `collected/${day}`;

/** Remembers that the logs of a namespace are collected now. */
export async function markCollected(logs: LogWriter, place: Place, now: Date): Promise<void> {
  const workload = namespaceKey(place);
  await logs.mark({ workload, source: UNTIL }, now.toISOString());
  await logs.mark({ workload, source: dayMark(dayOf(now)) }, now.toISOString());
}

/** When the logs of a namespace were collected last, by any replica; undefined if never. */
export async function collectedUntil(logs: LogWriter, place: Place): Promise<Date | undefined> {
  const text = await logs.collected({ workload: namespaceKey(place), source: UNTIL });
  return text === undefined ? undefined : new Date(text);
}

/** Whether logs of a namespace were collected at some time of this day. */
export async function wasCollectedOn(logs: LogWriter, place: Place, day: string): Promise<boolean> {
  return (await logs.collected({ workload: namespaceKey(place), source: dayMark(day) })) !== undefined;
}

type InNamespace = Pick<LoggedWorkload, "region" | "namespace">;

/** All logs of a namespace in the log store begin with this, so that each namespace is cleaned up on its own. */
export function namespaceKey({ region, namespace }: InNamespace): string {
  return `${region}/${namespace}/`;
}

/** A workload's name in the log store: its uid, so one that is created again has a log of its own. */
export function logKey(workload: InNamespace & Pick<LoggedWorkload, "uid">): string {
  return namespaceKey(workload) + workload.uid;
}
