import type { Outcome } from "../../changes/change.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { UserError } from "../../errors.ts";
import { counted } from "../../views/kit/text.ts";
import { endOf, stageOf, step } from "../lifecycle.ts";
import { readBack, redrawLater, refuse, send } from "../send.ts";
import { contentOf } from "../stored-request.ts";
import { type OpenRequest, openRequest } from "../open-request.ts";
import type { WorkflowParts } from "../ports.ts";

/** A part waits this long for another Run of its workload, as an approved Change does. */
const BUSY_FOR_MS = 10 * 60_000;

/**
 * Carries on a claimed request for several workloads: one after the other, until one fails or nobody can tell. Each part
 * is claimed before it is sent, and one that was claimed by a replica that is gone is read back, never sent again.
 */
export async function runParts(
  deps: WorkflowParts,
  request: StoredChange,
  signal: AbortSignal,
): Promise<StoredChange | undefined> {
  const opened = await openedOrRefused(deps, request, signal);
  let last: StoredChange | undefined;
  for (;;) {
    const now = await deps.store.find({ id: request.id });
    if (signal.aborted || now?.state !== "claimed") return undefined;
    const next = nextPart(now);
    if (next === undefined || opened === undefined) return end(deps, now);
    // Another Run of its workload is in progress, or another replica has it.
    if (next.id === last?.id) return undefined;
    last = next;
    await runPart(deps, { part: next, request: now, opened }, signal);
    redrawLater(deps, request.id);
  }
}

/** The first part that isn't at its end; undefined when none may follow. Pure. */
export function nextPart({ parts = [] }: StoredChange): StoredChange | undefined {
  const first = parts.find(({ settledAt }) => settledAt === undefined);
  const stops = parts.some(
    ({ state, settledAt }) => settledAt !== undefined && (state === "failed" || state === "unknown"),
  );
  return stops && first?.state === "approved" ? undefined : first;
}

type Part = { readonly part: StoredChange; readonly request: StoredChange; readonly opened: OpenRequest };

async function runPart(deps: WorkflowParts, { part, request, opened }: Part, signal: AbortSignal): Promise<void> {
  if (stageOf(part) === "sent") return void (await readBack(deps, part, signal));
  const content = contentOf(deps.sealer, part);
  if (content === undefined) {
    return refuse(deps, part, notSent("The stored request can't be opened.", "Request it again."));
  }
  await send(deps, { change: part, opened: { content, account: opened.account }, isFresh: false }, signal);
  const claimedMs = request.claimedAt?.getTime() ?? 0;
  if (deps.clock.now().getTime() - claimedMs < BUSY_FOR_MS) return;
  // Nothing happens to a part that moved on meanwhile.
  const why = `Another request for ${part.workload.name} took too long.`;
  const now = (await deps.store.find({ id: part.id })) ?? part;
  if (now.state === "approved" && !signal.aborted) await refuse(deps, part, notSent(why, "Request it again."));
}

function notSent(why: string, next: string): Outcome {
  return { kind: "failed", why, next };
}

/** Undefined when nothing more can be sent or read: what was not begun is refused. */
async function openedOrRefused(
  deps: WorkflowParts,
  request: StoredChange,
  signal: AbortSignal,
): Promise<OpenRequest | undefined> {
  try {
    return await openRequest(deps, request);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const outcome = notSent(error.message, error.next ?? "Request it again.");
    for (const part of request.parts ?? []) {
      if (stageOf(part) === "sent") await readBack(deps, part, signal);
      if (stageOf(part) === "approved") await refuse(deps, part, outcome);
    }
    return undefined;
  }
}

/** Its history is that of its parts, and those that were changed are followed from now on. */
async function end(deps: WorkflowParts, request: StoredChange): Promise<StoredChange | undefined> {
  const outcome = outcomeOf(request);
  const lookInMs = (request.parts ?? []).some(({ state }) => state === "done") ? 0 : undefined;
  const settled = await deps.store.advance(request.id, step(endOf[outcome.kind], { outcome, lookInMs }), undefined);
  return settled.kind === "moved" ? settled.change : undefined;
}

/** The outcome of the whole, from those of its parts. Pure. */
function outcomeOf({ parts = [] }: StoredChange): Outcome {
  const of = (state: StoredChange["state"]): readonly StoredChange[] => parts.filter((part) => part.state === state);
  const [failed] = of("failed");
  const [unknown] = of("unknown");
  const words = `${of("done").length} of ${counted(parts.length, "workload")} done`;
  if (failed !== undefined) return notSent(`${words}: ${failed.workload.name} failed.`, "See the card for the reason.");
  if (unknown !== undefined) {
    const why = `${words}: can't tell about ${unknown.workload.name}.`;
    return { kind: "unknown", after: "unread", why, next: "Check the workload before you try again." };
  }
  if (of("done").length === 0) return notSent("Each workload changed since the request.", "Request it again.");
  return { kind: "done", after: undefined, alsoMoved: [] };
}
