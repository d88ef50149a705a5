import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { answerShapes, type Job, type Service } from "../../../../src/api/answers.ts";
import type { Problem } from "../../../../src/api/problem.ts";
import { judgePoll, type Poll, pollJob } from "../../../../src/bot/changes/health.ts";
import { FIRST_POLL_MS, nextPollMs } from "../../../../src/bot/changes/service-poll.ts";
import type { Health } from "../../../../src/bot/changes/stored-change.ts";
import { serviceSnapshot } from "../../../../src/bot/changes/updatable-fields.ts";
import { compare, compareAnswer, FLAPPING_MS } from "../../../../src/bot/watch/compare.ts";
import { type Incident, type Kept, type Seen, seenJob, seenService } from "../../../../src/bot/watch/incident.ts";
import { pauseAfter } from "../../../../src/bot/workflow/run/follow.ts";
import { asRead } from "../../../support/as-read.ts";
import type { Recorded, RecordedChange } from "../../../support/recording.ts";
import { gone, problem, scripted } from "./scripted.ts";

export type Found = { readonly service: Service } | { readonly job: Job } | { readonly problem: Problem };
export type Observed = { readonly ms: number; readonly found: Found };
export type Done = RecordedChange & { readonly ms: number };

/** What was found of one workload over time, and the changes of it that were done. */
export type Story = {
  readonly name: string;
  readonly kind: "service" | "job";
  readonly observed: readonly Observed[];
  readonly done: readonly Done[];
};

const folder = join(import.meta.dirname, "../../../recordings");

export function recordedStories(): readonly Story[] {
  return globSync(join(folder, "*.jsonl")).flatMap((file) => {
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const told = lines.map((line) => JSON.parse(line) as Recorded); // written by test/recordings/record.ts
    return [...Map.groupBy(told, ({ story }) => story)].map(([name, all]) =>
      storyOf(`${basename(file)}: ${name}`, all),
    );
  });
}

function storyOf(name: string, told: readonly Recorded[]): Story {
  const kind = told.find((each) => each.kind !== "change")?.kind ?? "service";
  return {
    name,
    kind: kind === "job" ? "job" : "service",
    observed: told.flatMap((each) => (each.kind === "change" ? [] : [{ ms: each.ms, found: foundIn(each) }])),
    done: told.flatMap((each) => (each.kind === "change" ? [{ ...each.answer, ms: each.ms }] : [])),
  };
}

function foundIn(line: Exclude<Recorded, { readonly kind: "change" }>): Found {
  const unread = (status?: number): Found => ({
    problem:
      status === 404 ? gone : problem({ maybeSent: false, op: "getService", ...(status !== undefined && { status }) }),
  });
  if ("problem" in line) return unread(line.problem.status);
  const { data: service } = answerShapes.getService.safeParse(line.answer);
  const { data: job } = answerShapes.getJob.safeParse(line.answer);
  if (line.kind === "job") return job === undefined ? unread() : { job: asRead(job) };
  return service === undefined ? unread() : { service: asRead(service) };
}

/** What a poll finds at a time: what was observed last until then. */
function foundAt({ observed }: Story, ms: number): Found {
  const last = observed.findLast((each) => each.ms <= ms) ?? observed[0];
  return last?.found ?? { problem: gone };
}

/** What a change's card is drawn from after a poll. */
export type Look = {
  readonly ms: number;
  readonly ageMs: number;
  readonly health: Health;
  readonly isShown: boolean;
  readonly isLast: boolean;
};

/** A job may run for a day: nothing new is found after this. */
const JOB_FOR_MS = 20 * 60_000;

/** Each poll after a change, until the next one of the workload. */
export async function looksAfter(story: Story, done: Done): Promise<readonly Look[]> {
  const { op } = done.change.call;
  // Nothing is left to look at.
  if (op === "deleteService" || op === "deleteJob") return [];
  const next = story.done.find(({ ms }) => ms > done.ms)?.ms ?? Number.POSITIVE_INFINITY;
  return op === "createJob" ? jobLooks(story, done, next) : serviceLooks(story, done, next);
}

async function serviceLooks(story: Story, done: Done, untilMs: number): Promise<readonly Look[]> {
  const { change, ms: startMs, isConfirmed = false, healthyAfterMs = 60_000, changedSince } = done;
  let { progress, left } = done;
  let uid = change.workload.uid;
  let isShown = isConfirmed;
  const poll = (nowMs: number): Poll => ({
    change,
    progress,
    nowMs,
    ageMs: nowMs - startMs,
    calls: 1,
    healthyAfterMs,
    isConfirmed: isShown,
    left,
    changedSince,
    uid,
    resourcesKey: "resources",
  });
  const looks: Look[] = [];
  let nowMs = startMs + (progress === undefined ? FIRST_POLL_MS : (nextPollMs(progress, poll(startMs)) ?? 0));
  while (nowMs < untilMs) {
    const found = foundAt(story, nowMs);
    const { health, outcome, nextMs } = await judgePoll(poll(nowMs), readOf(found), async () => []);
    if (outcome?.kind === "done" && !isShown) {
      isShown = true;
      left ??= outcome.after;
      uid ??= outcome.after?.uid;
    }
    looks.push({ ms: nowMs, ageMs: nowMs - startMs, health, isShown, isLast: nextMs === undefined });
    if (nextMs === undefined) break;
    progress = health;
    nowMs += nextMs;
  }
  return looks;
}

function readOf(found: Found) {
  if ("service" in found) return { snapshot: serviceSnapshot(found.service), read: found };
  if ("problem" in found && found.problem.status !== 404) return found.problem;
  return { snapshot: undefined, read: {} };
}

async function jobLooks(story: Story, { change, ms: startMs }: Done, untilMs: number): Promise<readonly Look[]> {
  const looks: Look[] = [];
  for (let ageMs = FIRST_POLL_MS; startMs + ageMs < untilMs && ageMs < JOB_FOR_MS; ageMs += pauseAfter(ageMs)) {
    const found = foundAt(story, startMs + ageMs);
    const { api } = scripted(({ op }) => {
      if (op !== "getJob") return [];
      if ("job" in found) return found.job;
      throw "problem" in found ? found.problem : gone;
    });
    const deps = {
      api,
      signal: new AbortController().signal,
      clock: { now: () => new Date(0) },
      redact: async () => [],
    };
    const health = await pollJob(change, { uid: undefined, ageMs }, deps);
    const isLast = health.kind !== "watching";
    looks.push({ ms: startMs + ageMs, ageMs, health, isShown: true, isLast });
    if (isLast) break;
  }
  return looks;
}

/** What a watch knows after a round. */
export type Known = {
  readonly seen: Seen | undefined;
  readonly incident: Incident | undefined;
  readonly isUnread: boolean;
};

const ROUND_MS = 10_000;
/** After this, a round finds the same again. */
const LONGEST_MS = FLAPPING_MS + 60_000;

/** What a watch knows at these times: it looks then, and every ten seconds while anything may be news. */
export async function watched(story: Story, at: readonly number[]): Promise<ReadonlyMap<number, Known>> {
  const known = new Map<number, Known>();
  const times = new Set([...roundsOf(story), ...at]);
  const wanted = new Set(at);
  const before = new Map<string, Kept>();
  let incidents: readonly Incident[] = [];
  let id = 0;
  for (const ms of [...times].toSorted((one, other) => one - other)) {
    const found = foundAt(story, ms);
    const isUnread = "problem" in found && found.problem.status !== 404;
    const where = {
      teamId: "T1",
      account: "gantry",
      region: "beijing1",
      kind: story.kind,
      now: new Date(ms),
      unseenSince: undefined,
      newId: () => `i${(id += 1)}`,
    };
    incidents = incidents.filter(({ overAt }) => overAt === undefined || ms - overAt.getTime() <= FLAPPING_MS);
    const ofList = incidents.filter(({ cause }) => cause === "api-away");
    const ofWorkload = incidents.filter(({ cause }) => cause !== "api-away");
    const updates = [
      ...compareAnswer(
        { ...where, incidents: ofList },
        isUnread ? { words: "doesn't answer", sentence: "It fails." } : undefined,
      ),
    ];
    if (!isUnread) {
      const seen = "service" in found ? [seenService(found.service)] : "job" in found ? [seenJob(found.job)] : [];
      const now = await compare({ ...where, incidents: ofWorkload, seen, before, isComplete: true });
      for (const each of now.changed) before.set(each.seen.name, each);
      for (const name of now.gone) before.delete(name);
      updates.push(...now.incidents);
    }
    const changed = new Map(updates.map(({ incident }) => [incident.id, incident]));
    const old = incidents.filter((each) => !changed.has(each.id));
    incidents = [...old, ...changed.values()];
    if (!wanted.has(ms)) continue;
    const incident = incidents.find(({ cause, overAt }) => cause !== "api-away" && overAt === undefined);
    known.set(ms, { seen: [...before.values()][0]?.seen, incident, isUnread });
  }
  return known;
}

function roundsOf({ observed, done }: Story): readonly number[] {
  const begins = [...observed, ...done].map(({ ms }) => ms).toSorted((one, other) => one - other);
  return begins.flatMap((from, at) => {
    const until = Math.min(begins[at + 1] ?? Number.POSITIVE_INFINITY, from + LONGEST_MS);
    return Array.from({ length: Math.ceil((until - from) / ROUND_MS) }, (_, round) => from + round * ROUND_MS);
  });
}
