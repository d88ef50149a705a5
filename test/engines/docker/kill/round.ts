import { setTimeout as pause } from "node:timers/promises";
import type { Service } from "../../../../src/api/schema.ts";
import type { Reply } from "../../../service/contract/world.ts";
import { until } from "../../../support/until.ts";
import { readAgain } from "../../support/process-world.ts";
import type { Lane } from "../support/lane.ts";
import { type Change, jobBody, serviceBody, type Verdict } from "./changes.ts";
import { wrongContainers, wrongJob, wrongLog } from "./inspect.ts";

/** At its n-th write to the daemon, before it is done or when it is done and not answered; or some time after the request. */
export type Moment = { readonly write: number; readonly when: "before" | "after" } | { readonly ms: number };
export type Round = {
  readonly name: string;
  readonly change: Change;
  readonly moment: Moment;
  /** How long nobody runs afterwards. */
  readonly downMs: number;
};

export type Outcome = {
  readonly round: Round;
  /** What the client was told. */
  readonly told: "done" | "refused" | "nothing";
  readonly verdict: Verdict;
  readonly killedAt: string;
  /** What must never be. */
  readonly violations: readonly string[];
};

/** How a change goes when nobody is killed. */
export type Rehearsal = { readonly writes: number; readonly ms: number };

export type About = Pick<Round, "change" | "name">;

export async function rehearse(lane: Lane, about: About): Promise<Rehearsal> {
  const { world, front } = lane;
  await prepare(lane, about);
  let writes = 0;
  front.onPassing(({ when }) => {
    if (when === "before") writes += 1;
    return undefined;
  });
  const since = performance.now();
  const { status, text } = await world.ask(about.change.op, asked(about));
  if (status !== 200) throw new Error(`${about.change.name} without a kill: ${status} ${text}`);
  await settled(lane, about);
  const ms = performance.now() - since;
  front.onPassing(() => undefined);
  const violations = await clearAway(lane, about);
  if (violations.length > 0) throw new Error(`${about.change.name} without a kill: ${violations.join("; ")}`);
  return { writes, ms };
}

/** Plays one change whose service is killed on the way. The client repeats nothing but reads. */
export async function playRound(lane: Lane, round: Round): Promise<Outcome> {
  const { kill } = lane;
  await prepare(lane, round);
  const before = (await lane.containers()).map(({ id }) => id);
  const killing = killAt(lane, round.moment);
  const reply = await lane.world.ask(round.change.op, asked(round)).catch(() => undefined);
  await Promise.race([killing.killed, settled(lane, round).catch(() => undefined)]);
  const killedAt = killing.end().replaceAll(/\/(?:[0-9a-f]{12,64}|gantry-[\w.-]+)/gu, "/ID");
  await kill();
  const running = (await lane.containers()).filter(({ state }) => state === "running").length;
  await pause(round.downMs);

  await lane.start();
  const after = await settled(lane, round);
  const containers = await lane.containers();
  const kept = containers.filter(({ id }) => before.includes(id)).length;
  const verdict = round.change.verdict({ after, kept, before: before.length });
  const told = reply === undefined ? "nothing" : reply.status === 200 ? "done" : "refused";
  const violations = [
    ...(told === "done" && verdict !== "took effect" ? [`lost: it was answered with 200 and ${verdict}`] : []),
    ...(verdict === "half" ? ["half done"] : []),
    ...(round.change.keepsServing && running < before.length ? [`only ${running} of ${before.length} served`] : []),
    ...(told === "refused" ? [`refused: ${reply?.text}`] : []),
    ...(await wrongWorkload(lane, round, after)),
    ...(await clearAway(lane, round)),
  ];
  return { round, told, verdict, killedAt, violations };
}

type Killing = { readonly killed: Promise<void>; readonly end: () => string };

function killAt({ front, kill }: Lane, moment: Moment): Killing {
  const killed = Promise.withResolvers<void>();
  let at = "after its end";
  let writes = 0;
  const strike = async (where: string) => {
    at = where;
    await kill();
    killed.resolve();
  };
  const timer = "ms" in moment ? setTimeout(() => void strike(`${moment.ms} ms after it`), moment.ms) : undefined;
  front.onPassing(async ({ write, when }) => {
    if (when === "before") writes += 1;
    if ("ms" in moment || writes !== moment.write || when !== moment.when) return undefined;
    await strike(`${when} ${write}`);
    return "drop";
  });
  return {
    killed: killed.promise,
    end() {
      clearTimeout(timer);
      front.onPassing(() => undefined);
      return at;
    },
  };
}

export function isAboutJob({ change }: About): boolean {
  return change.op.endsWith("Job");
}

export function asked({ change, name }: About) {
  return { name, ...(change.body !== undefined && { body: change.body }) };
}

async function readOf(lane: Lane, about: About): Promise<Reply> {
  const op = isAboutJob(about) ? "getJob" : "getService";
  return await readAgain(lane, () => lane.world.ask(op, { name: about.name }));
}

/** What has to be there before the change. */
export async function prepare(lane: Lane, { change, name }: About): Promise<void> {
  const { world } = lane;
  await lane.start();
  const { startsWith } = change;
  if (startsWith === "nothing") return;
  if (startsWith === "a job") {
    await world.get("createJob", { name, body: jobBody });
    await world.until(
      () => world.get("getJob", { name }),
      ({ status }) => status?.active === 1,
    );
    return;
  }
  const reaches = async (wanted: string) =>
    await world.until(
      () => world.get("getService", { name }),
      ({ status }) => status === wanted,
    );
  await world.get("createService", { name, body: serviceBody(startsWith === "a service" ? 1 : 2) });
  await reaches("Running");
  if (startsWith !== "a stopped service") return;
  await world.get("stopService", { name });
  await reaches("Stopped");
}

/** The read once nothing moves any more: gone, ended, or no longer on its way. */
export async function settled(lane: Lane, about: About): Promise<Reply> {
  let last = await readOf(lane, about);
  await until(async () => {
    last = await readOf(lane, about);
    return !isMoving(last) && (last.status === 200 || (await lane.containers()).length === 0);
  });
  return last;
}

function isMoving({ status, body }: Reply): boolean {
  if (status !== 200) return false;
  const state: unknown = (body as { status?: unknown }).status; // a read of a workload
  if (typeof state === "string") return state !== "Running" && state !== "Stopped";
  return !JSON.stringify(state).includes('"conditions":[{');
}

async function wrongWorkload(lane: Lane, round: Round, after: Reply): Promise<readonly string[]> {
  const wrong = await wrongContainers(lane, after);
  if (after.status !== 200) return wrong;
  if (isAboutJob(round)) return [...wrong, ...(await wrongJob(lane, round.name))];
  const log = await wrongLog(lane, round.name, await lane.containers());
  return [...wrong, ...log, ...(await unreachable(after.body as Service))]; // a read that was answered with 200
}

/** Somebody has to answer at the address soon: an instance that has just ended may not have been noticed yet. */
export async function unreachable({ status, port_mappings }: Service): Promise<readonly string[]> {
  if (status !== "Running") return [];
  const url = port_mappings?.[0]?.service_url ?? "none";
  let said = "";
  try {
    await until(async () => {
      const asked = fetch(`http://${url}/`, { headers: { connection: "close" } }).then((answer) => answer.text());
      said = await asked.catch((error: unknown) => String(error));
      return said.trim() === "hello";
    });
    return [];
  } catch {
    return [`${url} doesn't answer: ${said}`];
  }
}

/** Deletes it through the API; then none of its containers may be left. */
export async function clearAway(lane: Lane, about: About): Promise<readonly string[]> {
  const there = await readOf(lane, about);
  if (there.status === 200) {
    const op = isAboutJob(about) ? "deleteJob" : "deleteService";
    const { status, text } = await lane.world.ask(op, { name: about.name });
    if (status !== 200) return [`can't be deleted: ${status} ${text}`];
  }
  try {
    await until(async () => (await lane.containers()).length === 0);
  } catch {
    return (await lane.containers()).map(({ name, state }) => `orphan: ${name} (${state})`);
  }
  return [];
}
