import { account } from "./gantry-process.ts";
import { median } from "./stats.ts";
import type { Stage, Target } from "./stage.ts";

/** From a slash command sent to its message taken by Slack, beside its API call and its Slack call made alone. */
export type MessageCase = {
  readonly name: string;
  readonly subject: Target;
  readonly apiLatencyMs: number;
  readonly slackLatencyMs: number;
  readonly commands: number;
  readonly warmUp: number;
  readonly isTarget: boolean;
};

/** Medians in milliseconds. */
export type MessageResult = {
  readonly name: string;
  readonly isTarget: boolean;
  readonly commands: number;
  readonly ackMs: number;
  readonly totalMs: number;
  readonly apiMs: number;
  readonly slackMs: number;
  /** p50 of the whole by the sum of the p50 of its two calls. */
  readonly ratio: number;
};

type Sample = { readonly ackMs: number; readonly totalMs: number; readonly apiMs: number; readonly slackMs: number };

const QUIET_MS = 20_000;
const TEXT = "list services";

let groups = 0;

/** Throws when a command got no message. */
export async function measureMessages(stage: Stage, each: MessageCase): Promise<MessageResult> {
  groups += 1;
  const group = `m${groups}`;
  await stage.api.ask("latency", each.apiLatencyMs);
  await stage.sink.ask("latency", each.slackLatencyMs);
  const samples: Sample[] = [];
  for (let at = 0; at < each.warmUp + each.commands; at += 1) {
    const sample = await once(stage, each, { group, at });
    if (at >= each.warmUp) samples.push(sample);
  }
  await stage.api.ask("latency", 0);
  await stage.sink.ask("latency", 0);
  const { name, isTarget, commands } = each;
  const totalMs = median(samples.map((sample) => sample.totalMs));
  const apiMs = median(samples.map((sample) => sample.apiMs));
  const slackMs = median(samples.map((sample) => sample.slackMs));
  const ackMs = median(samples.map((sample) => sample.ackMs));
  return { name, isTarget, commands, ackMs, totalMs, apiMs, slackMs, ratio: totalMs / (apiMs + slackMs) };
}

/** One command, then its two calls alone: interleaved, so that whatever drifts on the machine meets all three. */
async function once(stage: Stage, each: MessageCase, { group, at }: { group: string; at: number }): Promise<Sample> {
  const { sinkPort, apiPort } = stage;
  const sent = await stage.load.ask("one", {
    kind: "command",
    port: each.subject.port,
    sinkPort,
    text: TEXT,
    group,
    at,
  });
  const takenAt = await stage.sink.ask("takenAt", { group, command: String(at), quietMs: QUIET_MS });
  if (takenAt === null)
    throw new Error(`${each.subject.name} posted no message for "/gantry ${TEXT}" in ${QUIET_MS} ms`);
  const apiMs = await stage.load.ask("apiAlone", {
    url: `http://127.0.0.1:${apiPort}/v1/regions/beijing1/services`,
    headers: { username: account.username, authorization: `token ${account.token}` },
  });
  const slackMs = await stage.load.ask("slackAlone", {
    url: `http://127.0.0.1:${sinkPort}/response/${group}-alone/${at}`,
    body: await stage.sink.ask("lastBody", undefined),
  });
  return { ackMs: sent.ms, totalMs: takenAt - sent.startedAt, apiMs, slackMs };
}
