import { appendFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { answerShapes } from "../../src/api/answers.ts";
import type { OperationId } from "../../src/api/operations.ts";
import { Problem } from "../../src/api/problem.ts";
import { Change, type WorkloadRef } from "../../src/bot/changes/change.ts";
import type { Poll } from "../../src/bot/changes/health.ts";
import { jobSnapshot, serviceSnapshot, type Snapshot } from "../../src/bot/changes/updatable-fields.ts";
import { asRead } from "./as-read.ts";
import { operationOf } from "./operation-of.ts";
import type { Fetch } from "./world-service.ts";

type Kind = WorkloadRef["kind"];

/** A change that was done, and what its polls are told besides. */
export type RecordedChange = { readonly change: Change } & Partial<
  Pick<Poll, "isConfirmed" | "healthyAfterMs" | "progress" | "left" | "changedSince">
>;

/** What the workload API answered about a workload; the status of a problem is that of its answer, if there was one. */
type Found = { readonly answer: object } | { readonly problem: { readonly status?: number | undefined } };

/** A line of `test/recordings/*.jsonl`. A story is one workload in one test. `npm run record` writes all of them again. */
export type Recorded = {
  readonly story: string;
  /** Milliseconds since 1970, on the clock of the story. */
  readonly ms: number;
} & (({ readonly kind: Kind } & Found) | ({ readonly kind: "change" } & { readonly answer: RecordedChange }));

/** What was found last, by story. */
const last = new Map<string, Found>();

function write(line: Recorded): void {
  const { testPath = "" } = expect.getState();
  const file = `${basename(dirname(testPath))}-${basename(testPath, ".test.ts")}.jsonl`;
  appendFileSync(join(process.env["GANTRY_RECORD"] ?? "", file), `${JSON.stringify(line)}\n`);
}

/** The workload in the test that runs now. */
function storyOf(workload: string): string {
  return `${expect.getState().currentTestName ?? "before the tests"} · ${workload}`;
}

/** Leaves out equal neighbours. */
function find(line: { readonly story: string; readonly ms: number; readonly kind: Kind }, found: Found): void {
  if (JSON.stringify(last.get(line.story)) === JSON.stringify(found)) return;
  last.set(line.story, found);
  write({ ...line, ...found });
}

/** Fields that no judge asks for. A list lacks most of them, so the same workload would differ from the one that is read alone. */
const unjudged: readonly string[] = [
  "region",
  "events",
  "instance_names",
  "revisions",
  "refused_operations",
  "port_mappings",
  "default_domain_name",
  "volumes",
];

const Rollout = z.object({ rollout: z.object({ state: z.enum(["progressing", "stuck"]) }) });
const Metadata = z.object({ name: z.string(), uid: z.string().optional(), creationTimestamp: z.string().optional() });
const Template = z.object({ containers: z.array(z.object({ image: z.string().optional() })) });
const JobSpec = z.object({ template: z.object({ spec: Template }) });
const Container = z
  .object({
    image: z.unknown().optional(),
    image_digest: z.unknown().optional(),
    resources: z.object({ limits: z.unknown().optional() }).optional(),
  })
  .transform(({ resources, ...rest }) => ({ ...rest, ...(resources?.limits !== undefined && { resources }) }));

function judged(answer: object): object {
  const { rollout, metadata, spec, containers, ...rest } = Object.fromEntries(
    Object.entries(answer).filter(([key]) => !unjudged.includes(key)),
  );
  return {
    ...rest,
    ...(Rollout.safeParse({ rollout }).success && { rollout }),
    ...(containers !== undefined && { containers: z.array(Container).parse(containers) }),
    ...(metadata !== undefined && { metadata: Metadata.parse(metadata) }),
    ...(JobSpec.safeParse(spec).success && { spec: JobSpec.parse(spec) }),
  };
}

/** At these seconds after a change, the service of a test is recorded, until nobody looks any more. */
const SECONDS = [0, 2, ...steps(10, 120, 5), ...steps(150, 1_500, 30)];

function steps(from: number, to: number, by: number): number[] {
  return Array.from({ length: (to - from) / by + 1 }, (_, at) => from + at * by);
}

type Following = {
  readonly startMs: number;
  readonly service: (atMs: number) => unknown;
  /** What the polls got, by milliseconds after the change. */
  readonly polled: ReadonlyMap<number, unknown>;
};

/** Records what a test of `followed` says of its service. */
export function recordFollowed(done: RecordedChange, { startMs, service, polled }: Following): void {
  const story = storyOf(done.change.workload.name);
  last.delete(story);
  write({ story, ms: startMs, kind: "change", answer: done });
  const at = [...polled.keys()];
  // A service that answers from a list has come to its end by now.
  const isOfTime = at.every((ms) => JSON.stringify(service(ms)) === JSON.stringify(polled.get(ms)));
  const times = isOfTime ? SECONDS.map((each) => each * 1_000).filter((ms) => ms <= Math.max(...at)) : at;
  for (const ms of times) {
    const answer = isOfTime ? service(ms) : polled.get(ms);
    find({ story, ms: startMs + ms, kind: "service" }, foundIn(answer));
  }
}

function foundIn(answer: unknown): Found {
  if (answer instanceof Problem) return { problem: { status: answer.status } };
  return { answer: judged(Object(answer)) };
}

const ADDRESS = /\/v1\/regions\/([^/]+)\/(service|job)s(?:\/([^/]+)(?:\/(?:start|stop|restart))?)?$/u;

const Services = z.object({ services: z.array(z.looseObject({ name: z.string() })) });
const Jobs = z.object({ jobs: z.array(z.looseObject({ metadata: Metadata })) });

/** Records what the workload API of a world answers, and what it was told to do. */
export function recordingFetch(fetch: Fetch, now: () => Date): Fetch {
  const known = new Set<string>();
  return async (request) => {
    const [, region = "", kind, name] = ADDRESS.exec(new URL(request.url).pathname) ?? [];
    if (kind !== "service" && kind !== "job") return fetch(request);
    const body = request.method === "GET" ? undefined : await request.clone().text();
    const response = await fetch(request);
    const answer: unknown = await response
      .clone()
      .json()
      .catch(() => undefined);
    const ms = now().getTime();
    const of = (found: Found, workload: string) => {
      known.add(`${kind} ${region} ${workload}`);
      find({ story: storyOf(`${region} ${workload}`), ms, kind }, found);
    };
    const failed: Found = { problem: { status: response.status } };
    if (body !== undefined && name !== undefined && response.ok) {
      const change = changeOf(operationOf(request), { workload: { kind, region, name, uid: undefined }, body });
      write({ story: storyOf(`${region} ${name}`), ms, kind: "change", answer: { change } });
    } else if (body === undefined && name !== undefined) {
      of(response.ok ? { answer: judged(Object(answer)) } : failed, name);
    } else if (body === undefined) {
      const items = itemsOf(answer);
      const others = [...known].flatMap((each) =>
        each.startsWith(`${kind} ${region} `) ? each.split(" ").slice(2) : [],
      );
      for (const [each, item] of items) of({ answer: judged(item) }, each);
      for (const each of others) if (!items.has(each)) of(response.ok ? { problem: { status: 404 } } : failed, each);
    }
    return response;
  };
}

function itemsOf(answer: unknown): ReadonlyMap<string, object> {
  const services = Services.safeParse(answer).data?.services ?? [];
  const jobs = Jobs.safeParse(answer).data?.jobs ?? [];
  return new Map<string, object>([
    ...services.map((each) => [each.name, each] as const), // a pair
    ...jobs.map((each) => [each.metadata.name, each] as const), // a pair
  ]);
}

/** As a verb builds it from what it read last. */
function changeOf(op: OperationId, { workload, body }: { readonly workload: WorkloadRef; readonly body: string }) {
  const { kind, region, name } = workload;
  const found = last.get(storyOf(`${region} ${name}`));
  const before = found !== undefined && "answer" in found ? snapshotOf(kind, found.answer) : undefined;
  const call = {
    op,
    path: kind === "service" ? { region, service_name: name } : { region, job_name: name },
    ...(body !== "" && { body: z.unknown().parse(JSON.parse(body)) }),
  };
  return Change.parse({ call, workload: { ...workload, uid: before?.uid }, before, diff: ["…"] });
}

function snapshotOf(kind: Kind, answer: object): Snapshot {
  if (kind === "job") return jobSnapshot(asRead(answerShapes.getJob.parse(answer)));
  return serviceSnapshot(asRead(answerShapes.getService.parse(answer)));
}
