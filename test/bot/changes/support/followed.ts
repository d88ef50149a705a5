import { redactLines } from "../../../../src/bot/logs/redact.ts";
import type { Call } from "../../../../src/api/operations.ts";
import type { Change } from "../../../../src/bot/changes/change.ts";
import { type Poll, pollChanged } from "../../../../src/bot/changes/health.ts";
import { nextPollMs } from "../../../../src/bot/changes/service-poll.ts";
import type { Health } from "../../../../src/bot/changes/stored-change.ts";
import type { Outcome } from "../../../../src/bot/changes/change.ts";
import { scripted } from "./scripted.ts";

type FollowedLook = { readonly atMs: number; readonly health: Health; readonly stuck: boolean };

export type Followed = {
  /** Each poll, in milliseconds after the change. */
  readonly looks: readonly FollowedLook[];
  /** What is known when nobody looks any more. */
  readonly health: Health;
  /** What was accepted has shown. */
  readonly outcome: Outcome | undefined;
  readonly calls: readonly Call[];
};

type Seen = {
  /** The service at a time after the change. A Problem is thrown. */
  readonly service: (atMs: number) => unknown;
  readonly log?: (() => unknown) | undefined;
} & Partial<Pick<Poll, "isConfirmed" | "healthyAfterMs" | "progress" | "left" | "changedSince">>;

const noLog = (): unknown => {
  throw new Error("the log was read");
};

/** The change was done then. */
export const startMs = Date.parse("2026-11-21T23:59:58Z");

/** Follows a change to the last poll, on a clock that only its pauses move. */
export async function followed(change: Change, seen: Seen): Promise<Followed> {
  const { service, log = noLog, ...told } = seen;
  const { isConfirmed = true, healthyAfterMs = 60_000, left, changedSince } = told;
  let { progress } = seen;
  let outcome: Outcome | undefined;
  const calls: Call[] = [];
  const looks: FollowedLook[] = [];
  const polled = new Map<number, unknown>();
  const poll = (nowMs: number): Poll => ({
    change,
    progress,
    nowMs,
    ageMs: nowMs - startMs,
    calls: 1,
    healthyAfterMs,
    isConfirmed: isConfirmed || outcome !== undefined,
    left,
    changedSince,
    uid: change.workload.uid,
    resourcesKey: "resources",
  });
  let nowMs = startMs + (progress === undefined ? 2_000 : (nextPollMs(progress, poll(startMs)) ?? 0));
  const { api } = scripted((call) => {
    calls.push(call);
    if (call.op === "getServiceLogs") return log();
    const answer = service(nowMs - startMs);
    polled.set(nowMs - startMs, answer);
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const redact = async (lines: readonly string[]) => redactLines(lines, ["hunter2"]);
  const deps = { api, signal: new AbortController().signal, clock: { now: () => new Date(nowMs) }, redact };
  for (;;) {
    const { health, outcome: shown, nextMs, stuck } = await pollChanged(poll(nowMs), deps);
    looks.push({ atMs: nowMs - startMs, health, stuck: stuck !== undefined });
    outcome ??= shown;
    if (nextMs === undefined) {
      if (process.env["GANTRY_RECORD"] !== undefined) {
        const { recordFollowed } = await import("../../../support/recording.ts");
        recordFollowed({ change, ...told, isConfirmed }, { startMs, service, polled });
      }
      return { looks, health, outcome, calls };
    }
    progress = health;
    nowMs += nextMs;
  }
}
