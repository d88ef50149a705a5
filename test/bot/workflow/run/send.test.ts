import { expect, test } from "vitest";
import type { StoredChange } from "../../../../src/bot/changes/stored-change.ts";
import type { Clearance } from "../../../../src/bot/workflow/access/clear-to-run.ts";
import { openRequest } from "../../../../src/bot/workflow/open-request.ts";
import { propose } from "../../../../src/bot/workflow/propose/propose.ts";
import { AWAY_REST_MS, type Lease, readBack, sendChange } from "../../../../src/bot/workflow/run/send.ts";
import { scripted } from "../../changes/support/scripted.ts";
import { event } from "../../store/contract/bench.ts";
import { service } from "../../views/support/workloads.ts";
import { annHere, desk, type Desk, openPolicy } from "../support/desk.ts";

const web = ({ image, size }: { readonly image: string; readonly size: number }) =>
  service("web", {
    uid: "u1",
    target_instance_size: size,
    ready_instances: size,
    revision: 7,
    containers: [{ image }],
  });

/** A town where web has another image or size by the time it is read again. */
async function townWith(now: { image: string; size: number }): Promise<Desk> {
  const api = scripted(({ op }) => {
    if (op === "updateService") now.size = 3;
    return op === "getService" ? web(now) : {};
  });
  return desk({ policy: openPolicy, api });
}

/** Ann Lee's request to scale web to 3, which nobody has sent yet. */
async function scaling(own: Desk): Promise<StoredChange> {
  const ask = { verb: "scale", share: false, args: { name: "web", size: "3" } };
  const run = { onFailed: () => Promise.resolve(), onEnded: () => undefined };
  const asked = { kind: "ask", ask, origin: annHere, deliveryId: "d1", isRepeated: false } as const; // a literal kind
  const deps = { ...own.deps, start: () => undefined };
  await propose(deps, { ...asked, reply: own.reply, run, onFinished: () => undefined }, own.signal);
  const change = await own.store.find({ deliveryId: "d1" });
  if (change === undefined) throw new Error("nothing was stored");
  return change;
}

/** The lease of its request, and the pauses that an attempt asks for before the next one. */
function leaseOf({ store }: Desk, { id }: Pick<StoredChange, "id">) {
  const pauses: number[] = [];
  const lease: Lease = { due: store.lease(id), retryIn: (ms) => void pauses.push(ms) };
  return { lease, pauses };
}

type Sent = { readonly asked: number; readonly pauses: readonly number[] };

/** Sends it while another image may run; says how often policy was asked about that. */
async function sends(own: Desk, change: StoredChange, answer: Clearance["kind"]): Promise<Sent> {
  const opened = await openRequest(own.deps, change);
  let asked = 0;
  const clear = async (): Promise<Clearance> => {
    asked += 1;
    return answer === "unchecked" ? { kind: answer } : { kind: "run", opened };
  };
  const { lease, pauses } = leaseOf(own, change);
  await sendChange(own.deps, { change, lease, opened, isFresh: false, clear }, own.signal);
  return { asked, pauses };
}

test.each([
  ["not where it runs what was read", "shop/web:1.4", 0],
  ["where something else runs by then", "shop/web:1.5", 1],
])("before a change is sent, policy is asked again: %s", async (_when, image, times) => {
  const now = { image: "shop/web:1.4", size: 2 };
  const own = await townWith(now);
  const change = await scaling(own);
  now.image = image;

  expect(await sends(own, change, "run")).toEqual({ asked: times, pauses: [] });
  expect(own.sent).toContain("updateService");
});

test("while Slack can't say who may change what runs by then, nothing is sent, and it isn't tried again at once", async () => {
  const now = { image: "shop/web:1.4", size: 2 };
  const own = await townWith(now);
  const change = await scaling(own);
  now.image = "shop/web:1.5";

  expect(await sends(own, change, "unchecked")).toEqual({ asked: 1, pauses: [AWAY_REST_MS] });

  expect(own.sent).not.toContain("updateService");
});

test("what a replica sent before it was gone names the revision that it found, which going back needs", async () => {
  const now = { image: "shop/web:1.4", size: 2 };
  const own = await townWith(now);
  const { id } = await scaling(own);
  const { deps, store, signal } = own;
  await store.claim(id, event("claimed"));
  const claimed = await store.findChange(id);
  now.size = 3;

  const done = claimed && (await readBack(deps, { change: claimed, lease: leaseOf(own, { id }).lease }, signal));

  expect(done?.change.ending).toMatchObject({ outcome: { kind: "done", over: { revision: 7, isReady: true } } });
});
