import { parseMemoryMiB } from "../api/memory.ts";
import type { Change, Snapshot } from "./change.ts";

/**
 * What a workload that was read back says of a Change.
 * - `done`: it is as asked, `alsoMoved` names the other updatable fields that changed meanwhile
 * - `not-yet`: nothing contradicts it, and it is not (or cannot be) seen
 * - `nothing`: the service accepted an update and every field it names is what it was before
 */
export type Verdict =
  | { readonly kind: "done"; readonly alsoMoved: readonly string[] }
  | { readonly kind: "not-yet"; readonly why: string }
  | { readonly kind: "nothing"; readonly still: readonly string[] };

type Existing = NonNullable<Snapshot>;

/** Compares what was asked with what was read back. Pure. */
export function settle(change: Change, after: Snapshot): Verdict {
  switch (change.call.op) {
    case "createService":
    case "createJob":
      return after === undefined ? notYet("It does not show in the service yet.") : done();
    case "deleteService":
    case "deleteJob":
      return settleDelete(change, after);
    case "startService":
      return settleStatus(after, "Running");
    case "stopService":
      return settleStatus(after, "Stopped");
    case "restartService":
      return settleRestart(after);
    case "updateService":
      return after === undefined ? notYet("The service is gone.") : settleUpdate(change, after);
  }
}

function settleDelete({ workload }: Change, after: Snapshot): Verdict {
  if (after === undefined) return done();
  // A namesake with another uid was made by somebody else after the deletion.
  if (workload.uid !== undefined && after.uid !== undefined && after.uid !== workload.uid) return done();
  return notYet(`It is still there${after.status === undefined ? "" : `, with status ${after.status}`}.`);
}

function settleRestart(after: Snapshot): Verdict {
  const status = after?.status === undefined ? "" : `; its status is ${after.status}`;
  return notYet(`A restart leaves no trace in what the service tells${status}.`);
}

function settleStatus(after: Snapshot, wanted: string): Verdict {
  if (after === undefined) return notYet("The service is gone.");
  return after.status === wanted ? done() : notYet(`Its status is ${after.status ?? "not told"}.`);
}

function settleUpdate(change: Change, after: Existing): Verdict {
  const fields = updatable(change, after);
  const asked = fields.filter(({ wanted }) => wanted !== undefined);
  const open = asked.filter(({ wanted, now }) => wanted !== now);
  if (open.length === 0) {
    const moved = fields.filter(({ wanted, before, now }) => wanted === undefined && before !== now);
    return { kind: "done", alsoMoved: moved.map(({ label, before, now }) => `${label} ${before} → ${now}`) };
  }
  const still = open.filter(({ before, now }) => before === now).map(({ label, now }) => `${label}: still ${now}`);
  if (still.length === asked.length) return { kind: "nothing", still };
  return notYet(`${open.map(({ label, now }) => `${label}: ${now}`).join(", ")}.`);
}

type Field = {
  readonly label: string;
  readonly wanted: string | undefined;
  readonly before: string;
  readonly now: string;
};

/** The three updatable fields in words: as asked (undefined when the call leaves them out), before, and now. */
function updatable({ call, before }: Change, after: Existing): Field[] {
  const body = call.op === "updateService" ? call.body : {};
  return [
    {
      label: "instances",
      wanted: body.target_instance_size === undefined ? undefined : String(body.target_instance_size),
      before: sizeText(before),
      now: sizeText(after),
    },
    {
      label: "memory",
      wanted: body.containers === undefined ? undefined : memoryText(wantedMemory(body.containers, before)),
      before: memoryText(before?.memoryMiB),
      now: memoryText(after.memoryMiB),
    },
    {
      label: "domains",
      wanted: body.binding_domain_name === undefined ? undefined : domainText(body.binding_domain_name),
      before: domainText(before?.domains),
      now: domainText(after.domains),
    },
  ];
}

type ContainerUpdates = NonNullable<Extract<Change["call"], { op: "updateService" }>["body"]["containers"]>;

/** A container update goes by position here: `memory` fills the positions before the one it changes with `{}`. */
function wantedMemory(updates: ContainerUpdates, before: Snapshot): readonly (number | undefined)[] {
  const size = Math.max(updates.length, before?.memoryMiB.length ?? 0);
  return Array.from({ length: size }, (_, at) => {
    const update = updates[at];
    return parseMemoryMiB((update?.resources ?? update?.resource)?.limits?.memory) ?? before?.memoryMiB[at];
  });
}

function sizeText(snapshot: Snapshot): string {
  return String(snapshot?.size ?? "not told");
}

function memoryText(memory: readonly (number | undefined)[] | undefined): string {
  if (memory === undefined || memory.length === 0) return "not told";
  return memory.map((mib) => (mib === undefined ? "not told" : `${mib} MiB`)).join(" and ");
}

function domainText(domains: readonly string[] | undefined): string {
  if (domains === undefined || domains.length === 0) return "none";
  return [...domains].sort().join(", ");
}

function done(): Verdict {
  return { kind: "done", alsoMoved: [] };
}

function notYet(why: string): Verdict {
  return { kind: "not-yet", why };
}
