import type { AccountApi } from "../api/client.ts";
import { Problem } from "../api/problem.ts";
import type { Change, Snapshot } from "./change.ts";
import type { Outcome } from "./outcome.ts";
import { settle, type Verdict } from "./settle.ts";
import { jobSnapshot, serviceSnapshot } from "./snapshot.ts";

/** What the execution of a Change is given; it knows no SQL and no Slack. */
export type RunDeps = {
  readonly api: AccountApi;
  /** Aborted when the bot stops: the write may have left by then, so its outcome is `unknown`. */
  readonly signal: AbortSignal;
  readonly wait: (ms: number) => Promise<void>;
  /** Records, before the request leaves, that it will be sent. False: somebody else has it, and nothing is sent. */
  readonly claim: () => Promise<boolean>;
  readonly resourcesKey: "resources" | "resource";
};

/** When the workload is read back after the answer, in milliseconds: two reads at most, so that a write costs five calls. */
const READ_BACK_AFTER_MS = [250, 1_750];

/**
 * Sends a Change at most once, for ever: it is claimed before the request leaves, sent a single time, and then the
 * workload is read back. Resolves to how it ended, or to `undefined` when it was claimed elsewhere. A Change without a
 * diff is already so, and nothing is claimed or sent. Never throws a `Problem`.
 */
export async function runChange(change: Change, deps: RunDeps): Promise<Outcome | undefined> {
  if (change.diff.length === 0) return { kind: "done", after: change.before, alsoMoved: [] };
  if (!(await deps.claim())) return undefined;
  try {
    await deps.api.send(change.call, { signal: deps.signal });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.maybeSent
      ? unknownOutcome(change, error, deps)
      : { kind: "failed", why: error.sentence, next: error.next };
  }
  return settledOutcome(change, deps);
}

async function settledOutcome(change: Change, deps: RunDeps): Promise<Outcome> {
  const read = await readBack(change, deps);
  if (read instanceof Problem) {
    return {
      kind: "asked",
      after: change.before,
      why: `The service accepted it, but could not be read back: ${read.sentence}`,
    };
  }
  const { after, verdict } = read;
  if (verdict.kind === "done") return { kind: "done", after, alsoMoved: verdict.alsoMoved };
  if (verdict.kind === "not-yet") return { kind: "asked", after, why: verdict.why };
  return nothingChanged(change, verdict.still, deps.resourcesKey);
}

/** A write is never sent twice, not even in the other spelling: the person is told which setting to change. */
function nothingChanged({ call }: Change, still: readonly string[], key: RunDeps["resourcesKey"]): Outcome {
  const why = `The service accepted the update, but nothing changed: ${still.join(", ")}.`;
  const aboutMemory = call.op === "updateService" && call.body.containers !== undefined;
  const other = key === "resources" ? "resource" : "resources";
  return {
    kind: "failed",
    why,
    next: aboutMemory
      ? `This service may expect the other spelling of the field: set WORKLOAD_API_RESOURCES_KEY=${other} and ask again.`
      : "Look at the workload with show; if it still has not changed, ask those who run the service.",
  };
}

async function unknownOutcome(change: Change, problem: Problem, deps: RunDeps): Promise<Outcome> {
  const read = deps.signal.aborted ? problem : await readBack(change, deps);
  const next = "Gantry does not send it again by itself. Look at the workload before you ask once more.";
  if (read instanceof Problem) return { kind: "unknown", after: "unread", why: problem.sentence, next };
  return { kind: "unknown", after: read.after, why: `${problem.sentence} ${inWords(read.verdict)}`, next };
}

function inWords(verdict: Verdict): string {
  switch (verdict.kind) {
    case "done":
      return "Read back, the workload is now as asked; whether this request did it cannot be told.";
    case "not-yet":
      return `Read back: ${verdict.why}`;
    case "nothing":
      return `Read back, ${verdict.still.join(", ")}; the request may still take effect.`;
  }
}

type Read = { readonly after: Snapshot; readonly verdict: Verdict };

/** Reads until the workload is as asked, at most twice. Resolves to the `Problem` when not even one read came back. */
async function readBack(change: Change, deps: RunDeps): Promise<Read | Problem> {
  let last: Read | Problem | undefined;
  for (const delayMs of READ_BACK_AFTER_MS) {
    await deps.wait(delayMs);
    const read = await readOnce(change, deps);
    if (!(read instanceof Problem) && (read.verdict.kind === "done" || change.call.op === "restartService"))
      return read;
    last = read instanceof Problem && last !== undefined ? last : read;
  }
  if (last === undefined) throw new Error("no read-back is configured");
  return last;
}

async function readOnce(change: Change, { api, signal }: RunDeps): Promise<Read | Problem> {
  try {
    const after = await snapshotOf(change, api, signal);
    return { after, verdict: settle(change, after) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.status === 404 ? { after: undefined, verdict: settle(change, undefined) } : error;
  }
}

async function snapshotOf({ workload }: Change, api: AccountApi, signal: AbortSignal): Promise<Snapshot> {
  const { region, name } = workload;
  if (workload.kind === "job") {
    return jobSnapshot(
      await api.send({ op: "getJob", path: { region, job_name: name }, query: undefined, body: undefined }, { signal }),
    );
  }
  return serviceSnapshot(
    await api.send(
      { op: "getService", path: { region, service_name: name }, query: undefined, body: undefined },
      { signal },
    ),
  );
}
