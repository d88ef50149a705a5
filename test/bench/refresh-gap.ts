import type { RefreshResult } from "./refresh.ts";
import { range, type Range } from "./stats.ts";
import type { Stage } from "./stage.ts";

/** Slack's refresh of all connections of an app, of two apps after another. */
export type GapCase = { readonly name: string; readonly warnMs: number; readonly times: number };

type Side = { readonly gapMs: Range; readonly replacedMs: Range; readonly sent: number; readonly lost: number };

export type GapResult = GapCase & {
  readonly subject: string;
  readonly base: string;
  readonly subjectSide: Side;
  readonly baseSide: Side;
};

let groups = 0;

export async function measureGap(stage: Stage, each: GapCase): Promise<GapResult> {
  const { gantry: subject, bare: base } = stage.overSockets;
  const results: Record<"subject" | "base", RefreshResult[]> = { subject: [], base: [] };
  for (let at = 0; at < each.times; at += 1) {
    for (const [side, { appToken }] of [
      ["subject", subject],
      ["base", base],
    ] as const) {
      groups += 1;
      const { sinkPort } = stage;
      const asked = { appToken, sinkPort, warnMs: each.warnMs, group: `refresh${groups}` };
      results[side].push(await stage.load.ask("refresh", asked));
    }
  }
  return {
    ...each,
    subject: subject.name,
    base: base.name,
    subjectSide: sideOf(results.subject),
    baseSide: sideOf(results.base),
  };
}

function sideOf(results: readonly RefreshResult[]): Side {
  return {
    gapMs: range(results.map(({ gapMs }) => gapMs)),
    replacedMs: range(results.map(({ replacedMs }) => replacedMs)),
    sent: results.reduce((sum, { sent }) => sum + sent, 0),
    lost: results.reduce((sum, { lost }) => sum + lost, 0),
  };
}
