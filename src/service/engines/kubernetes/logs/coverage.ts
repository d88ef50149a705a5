import { dayOf, type LogWriter } from "../../../workloads/logs/log-writer.ts";
import { namespaceKey } from "./log-keys.ts";
import type { LoggedWorkload } from "./region-logs.ts";

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
