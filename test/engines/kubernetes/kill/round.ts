import type { Reply } from "../../../service/contract/world.ts";
import { until } from "../../../support/until.ts";
import { type Found, objectsOf } from "../support/objects.ts";
import { type Change, jobBody, serviceBody, type Verdict } from "./changes.ts";
import { readAgain } from "../../support/process-world.ts";
import type { Lane } from "./lane.ts";

/** At its n-th write to the API server: before it is done, or when it is done and not answered. */
export type Moment = { readonly write: number; readonly when: "before" | "after" };
export type Round = { readonly name: string; readonly change: Change; readonly moment: Moment };

export type Outcome = {
  readonly round: Round;
  /** What the client was told. */
  readonly told: "done" | "refused" | "nothing";
  readonly verdict: Verdict;
  /** Where it was killed. */
  readonly killedAt: string;
  /** The status of what is half there, as the API tells it. */
  readonly status: string | undefined;
  /** What must never be. */
  readonly violations: readonly string[];
};

/** What a change leaves when nobody is killed. */
export type Rehearsal = { readonly writes: number; readonly objects: string };

/** Plays a change to its end, to know its writes and what it leaves. */
export async function rehearse(lane: Lane, change: Change, name: string): Promise<Rehearsal> {
  const { world, front } = lane;
  await prepare(lane, { change, name });
  let writes = 0;
  front.onPassing(({ when }) => {
    if (when === "before") writes += 1;
    return undefined;
  });
  const { status, text } = await world.ask(change.op, asked(lane, { change, name }));
  front.onPassing(() => undefined);
  if (status !== 200) throw new Error(`${change.name} without a kill: ${status} ${text}`);
  await settled(lane, { change, name });
  const objects = partsOf(await objectsOf(lane.cluster, lane.namespace));
  await clearAway(lane, { change, name });
  return { writes, objects };
}

/** Plays one change whose service is killed on the way. The client repeats nothing but reads. */
export async function playRound(lane: Lane, round: Round, rehearsal: Rehearsal): Promise<Outcome> {
  const { cluster, front, namespace, world, kill } = lane;
  const { change, moment, name } = round;
  await prepare(lane, round);
  const unchanged = partsOf(await objectsOf(cluster, namespace));
  let writes = 0;
  let killedAt = "after its answer";
  front.onPassing(async ({ write, when }) => {
    if (when === "before") writes += 1;
    if (writes !== moment.write || when !== moment.when) return undefined;
    killedAt = `${when} ${write.replace(namespace, "N").replace(name, "NAME")}`;
    await kill();
    return "drop";
  });
  const reply = await world.ask(change.op, asked(lane, round)).catch(() => undefined);
  await kill();
  front.onPassing(() => undefined);

  await lane.start();
  const after = await settled(lane, round);
  const found = await objectsOf(cluster, namespace);
  const verdict = verdictOf({ round, rehearsal, unchanged }, after, found);
  const told = reply === undefined ? "nothing" : reply.status === 200 ? "done" : "refused";
  const violations = [
    ...(told === "done" && verdict !== "took effect" ? [`lost: it was answered with 200 and is ${verdict}`] : []),
    ...(told === "refused" ? [`refused: ${reply?.text}`] : []),
    ...(await clearAway(lane, round)),
  ];
  const { status } = after.status === 200 ? (after.body as { status?: unknown }) : {}; // a read of a workload
  return {
    round,
    told,
    verdict,
    killedAt,
    status: verdict === "half" ? JSON.stringify(status) : undefined,
    violations,
  };
}

type About = Pick<Round, "change" | "name">;

function isAboutJob({ change }: About): boolean {
  return change.op.endsWith("Job");
}

function asked({ cluster }: Lane, { change, name }: About) {
  const body = change.body?.({ image: cluster.image, name });
  return { name, ...(body !== undefined && { body }) };
}

async function readOf(lane: Lane, about: About): Promise<Reply> {
  const op = isAboutJob(about) ? "getJob" : "getService";
  return await readAgain(lane, () => lane.world.ask(op, { name: about.name }));
}

/** What has to be there before the change. */
async function prepare(lane: Lane, { change, name }: About): Promise<void> {
  const { world, cluster } = lane;
  await lane.start();
  const making = { image: cluster.image, name };
  const reaches = async (status: string) =>
    await world.until(
      () => world.get("getService", { name }),
      (service) => service.status === status,
    );
  if (change.startsWith === "nothing") return;
  if (change.startsWith === "a job") {
    await world.get("createJob", { name, body: jobBody(making) });
    await world.until(
      () => world.get("getJob", { name }),
      ({ status }) => status?.succeeded === 1,
    );
    return;
  }
  await world.get("createService", { name, body: serviceBody(making) });
  await reaches("Running");
  if (change.startsWith === "a service") return;
  await world.get("stopService", { name });
  await reaches("Stopped");
}

/** The read once nothing moves any more: gone, or no longer on its way. */
async function settled(lane: Lane, about: About): Promise<Reply> {
  const isMoving = ({ status, body }: Reply) =>
    status === 200 && /"(Starting|Updating|Stopping|Deleting)"/u.test(statusOf(body));
  let last = await readOf(lane, about);
  if (isAboutJob(about)) return last;
  try {
    await until(async () => {
      last = await readOf(lane, about);
      return !isMoving(last);
    });
  } catch {
    // What is half there may never become whole: it is judged as it is.
  }
  return last;
}

function statusOf(body: unknown): string {
  return JSON.stringify((body as { status?: unknown }).status ?? null); // a read of a workload
}

type Known = { readonly round: Round; readonly rehearsal: Rehearsal; readonly unchanged: string };

function verdictOf({ round, rehearsal, unchanged }: Known, after: Reply, found: readonly Found[]): Verdict {
  const parts = partsOf(found);
  const verdict = round.change.verdict(after, found);
  if (verdict === "took effect") return parts === rehearsal.objects ? verdict : "half";
  if (verdict === "did not") return parts === unchanged ? verdict : "half";
  return verdict;
}

/** How many of each kind; pods come and go. */
function partsOf(found: readonly Found[]): string {
  const counts = Object.entries(Object.groupBy(found, ({ kind }) => kind)).filter(([kind]) => kind !== "Pod");
  return counts
    .map(([kind, all]) => `${all?.length} ${kind}`)
    .toSorted()
    .join(", ");
}

/** Deletes it through the API; then nothing of it may be left in the namespace. */
async function clearAway(lane: Lane, about: About): Promise<readonly string[]> {
  const { world, cluster, namespace } = lane;
  const { name } = about;
  const there = await readOf(lane, about);
  if (there.status === 200) {
    const { status, text } = await world.ask(isAboutJob(about) ? "deleteJob" : "deleteService", { name });
    if (status !== 200) return [`can't be deleted: ${status} ${text}`];
  }
  let left: readonly Found[] = [];
  try {
    await until(async () => {
      left = await objectsOf(cluster, namespace);
      return left.length === 0;
    });
  } catch {
    return left.map(({ kind, name: which }) => `orphan: ${kind} ${which}`);
  }
  return [];
}
