import { linkOwnAccount } from "./own-account.ts";
import { spread, type Spread } from "./stats.ts";
import type { Stage, Target } from "./stage.ts";

/** From what a person did until their view is drawn, beside a bare app that draws the least that can be drawn. */
export type ViewCase = {
  readonly name: string;
  /** Home is opened by somebody for whom nothing was listed before. A form is opened by words that lack something. */
  readonly does: { readonly kind: "home" } | { readonly kind: "words"; readonly text: string };
  /** What has to stand in the view, or the figure is of something else. */
  readonly shows: string;
  readonly subject: Target;
  readonly base: Target;
  readonly apiLatencyMs: number;
  readonly slackLatencyMs: number;
  readonly services: number;
  /** The workload API answers nothing meanwhile; what waits for it is drawn when it does. */
  readonly stalled: boolean;
  readonly times: number;
  readonly warmUp: number;
  /** What p99 may be at most, in milliseconds; without it the row is told for information. */
  readonly mostMs?: number;
};

export type ViewResult = Pick<ViewCase, "name" | "times" | "mostMs"> & {
  readonly base: string;
  readonly subjectMs: Spread;
  readonly baseMs: Spread;
  readonly p50Ratio: number;
  /** Requests to the workload API for each of them. */
  readonly calls: number;
};

type Side = "subject" | "base";

const QUIET_MS = 20_000;

let groups = 0;

/** Throws when a view was not drawn, or does not show what it has to. */
export async function measureView(stage: Stage, each: ViewCase): Promise<ViewResult> {
  const { api, sink } = stage;
  groups += 1;
  await api.ask("latency", each.apiLatencyMs);
  await sink.ask("latency", each.slackLatencyMs);
  await api.ask("holds", { services: each.services, jobs: 0 });
  await api.ask("stall", each.stalled);
  const ms: Record<Side, number[]> = { subject: [], base: [] };
  let calls = 0;
  for (let at = 0; at < each.warmUp + each.times; at += 1) {
    if (each.does.kind === "home") await linkOwnAccount(stage, each.subject, { group: groupOf("subject"), at });
    const before = await api.ask("requests", undefined);
    const subject = await once(stage, each, { side: "subject", at });
    const after = await api.ask("requests", undefined);
    const base = await once(stage, each, { side: "base", at });
    if (at < each.warmUp) continue;
    ms.subject.push(subject);
    ms.base.push(base);
    calls += after - before;
  }
  await api.ask("stall", false);
  if (each.stalled) await drained(stage, each);
  await sink.ask("latency", 0);
  await api.ask("latency", 0);
  await api.ask("holds", undefined);
  const { name, times, mostMs, base } = each;
  const [subjectMs, baseMs] = [spread(ms.subject), spread(ms.base)];
  return {
    name,
    times,
    ...(mostMs !== undefined && { mostMs }),
    base: base.name,
    subjectMs,
    baseMs,
    p50Ratio: subjectMs.p50 / baseMs.p50,
    calls: calls / times,
  };
}

function groupOf(side: Side): string {
  return `${side}${groups}`;
}

async function once(stage: Stage, each: ViewCase, { side, at }: { side: Side; at: number }): Promise<number> {
  const { load, sink, sinkPort } = stage;
  const { name, port } = each[side];
  const group = groupOf(side);
  const [kind, method, text] =
    each.does.kind === "home"
      ? (["home", "views.publish", ""] as const)
      : (["command", "views.open", each.does.text] as const);
  const sent = await load.ask("one", { kind, text, port, sinkPort, group, at });
  const takenAt = await sink.ask("takenAt", { group: `${method} ${group}`, command: String(at), quietMs: QUIET_MS });
  if (takenAt === null) throw new Error(`${name} drew nothing for "${each.name}" in ${QUIET_MS} ms`);
  const view = await sink.ask("lastView", { method, group });
  if (side === "subject" && !view.includes(each.shows)) {
    throw new Error(`"${each.shows}" is not in what ${name} drew for "${each.name}": ${view.slice(0, 2_000)}`);
  }
  return takenAt - sent.startedAt;
}

/** What waited for the workload API ends before something else is measured; a form that shows nothing of it never waits. */
async function drained({ sink }: Stage, { does, times, warmUp }: ViewCase): Promise<void> {
  if (does.kind === "home" || does.text.split(" ").length < 2) return;
  const filled = { group: `views.update ${groupOf("subject")}`, commands: times + warmUp, quietMs: QUIET_MS };
  const { commands } = await sink.ask("messaged", filled);
  if (commands < filled.commands) throw new Error(`${filled.commands - commands} forms were never filled`);
}
