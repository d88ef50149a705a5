import { expect, test } from "vitest";
import { answerShapes } from "../../src/api/answers.ts";
import type { AccountApi } from "../../src/api/client.ts";
import type { Call } from "../../src/api/operations.ts";
import { Problem } from "../../src/api/problem.ts";
import type { Change } from "../../src/changes/change.ts";
import { runChange, type RunDeps } from "../../src/changes/run.ts";

const path = { region: "beijing1", service_name: "web" };
const body = { target_instance_size: 4 };
const change: Change = {
  call: { op: "updateService", path, query: undefined, body },
  workload: { kind: "service", region: "beijing1", name: "web", uid: "u1" },
  before: { uid: "u1", status: "Running", size: 2, memoryMiB: [], domains: [] },
  diff: ["instances 2 → 4"],
};

type Answerer = (call: Call) => unknown;

/** An account's API that answers each call as the test says, and keeps what it was sent. */
function scripted(answer: Answerer): { api: AccountApi; sent: string[] } {
  const sent: string[] = [];
  const api: AccountApi = {
    async send(call) {
      sent.push(call.op);
      const parsed: unknown = answerShapes[call.op].parse(answer(call as Call)); // a call of one operation is a call
      return parsed as never; // the shape of this operation, which the compiler cannot follow here
    },
  };
  return { api, sent };
}

function deps(api: AccountApi, more: Partial<RunDeps> = {}): RunDeps {
  return {
    api,
    signal: new AbortController().signal,
    wait: () => Promise.resolve(),
    claim: () => Promise.resolve(true),
    resourcesKey: "resources",
    ...more,
  };
}

function problem(details: { maybeSent: boolean; status?: number; op?: Call["op"] }): Problem {
  const { maybeSent, status, op = "updateService" } = details;
  return new Problem({
    kind: status === undefined ? "timeout" : "refused",
    op,
    maybeSent,
    sentence: "The service did not answer in time.",
    next: "Try again.",
    ...(status !== undefined && { status }),
  });
}

const service = (size: number): object => ({ name: "web", uid: "u1", status: "Running", target_instance_size: size });

test("a change that took effect is read back once", async () => {
  const { api, sent } = scripted(({ op }) => (op === "getService" ? service(4) : {}));

  const outcome = await runChange(change, deps(api));

  expect(outcome).toMatchObject({ kind: "done", after: { size: 4 } });
  expect(sent).toEqual(["updateService", "getService"]);
});

test("a change that somebody else claimed is not sent", async () => {
  const { api, sent } = scripted(() => ({}));

  const outcome = await runChange(change, deps(api, { claim: () => Promise.resolve(false) }));

  expect(outcome).toBeUndefined();
  expect(sent).toEqual([]);
});

test("what is already so is neither claimed nor sent", async () => {
  const { api, sent } = scripted(() => ({}));
  let claims = 0;

  const outcome = await runChange(
    { ...change, diff: [] },
    deps(api, { claim: () => Promise.resolve((claims += 1) > 0) }),
  );

  expect(outcome?.kind).toBe("done");
  expect([sent.length, claims]).toEqual([0, 0]);
});

test("the claim is on record before the request leaves", async () => {
  const order: string[] = [];
  const { api } = scripted(({ op }) => {
    order.push(op);
    return op === "getService" ? service(4) : {};
  });

  await runChange(change, deps(api, { claim: () => Promise.resolve(order.push("claim") > 0) }));

  expect(order).toEqual(["claim", "updateService", "getService"]);
});

test("a write that timed out is unknown, is not sent again, and says what was read back", async () => {
  const { api, sent } = scripted(({ op }) => {
    if (op === "updateService") throw problem({ maybeSent: true });
    return service(4);
  });

  const outcome = await runChange(change, deps(api));

  expect(outcome).toMatchObject({ kind: "unknown", after: { size: 4 } });
  expect(outcome?.kind === "unknown" && outcome.why).toContain("whether this request did it cannot be told");
  expect(sent).toEqual(["updateService", "getService"]);
});

test("a write that was refused did not happen", async () => {
  const { api, sent } = scripted(() => {
    throw problem({ maybeSent: false, status: 409 });
  });

  const outcome = await runChange(change, deps(api));

  expect(outcome).toMatchObject({ kind: "failed", why: "The service did not answer in time." });
  expect(sent).toEqual(["updateService"]);
});

test("an update of memory that changes nothing names the setting, and is not sent in the other spelling", async () => {
  const memory: Change = {
    ...change,
    call: {
      ...change.call,
      op: "updateService",
      path,
      query: undefined,
      body: { containers: [{ resources: { limits: { memory: 1024 } } }] },
    },
    before: { uid: "u1", status: "Running", size: 2, memoryMiB: [512], domains: [] },
  };
  const still = { ...service(2), containers: [{ name: "web", resources: { limits: { memory: "512" } } }] };
  const { api, sent } = scripted(({ op }) => (op === "getService" ? still : {}));

  const outcome = await runChange(memory, deps(api));

  expect(outcome).toMatchObject({ kind: "failed" });
  expect(outcome?.kind === "failed" && outcome.next).toContain("WORKLOAD_API_RESOURCES_KEY=resource ");
  expect(sent).toEqual(["updateService", "getService", "getService"]);
});

test("a restart is asked, never claimed to have taken effect", async () => {
  const restart: Change = { ...change, call: { op: "restartService", path, query: undefined, body: undefined } };
  const { api, sent } = scripted(({ op }) => (op === "getService" ? service(2) : {}));

  const outcome = await runChange(restart, deps(api));

  expect(outcome).toMatchObject({ kind: "asked", why: expect.stringContaining("leaves no trace") });
  expect(sent).toEqual(["restartService", "getService"]);
});

test("an accepted write whose read-back fails is asked, not failed", async () => {
  const { api } = scripted(({ op }) => {
    if (op === "getService") throw problem({ maybeSent: true, op });
    return {};
  });

  expect(await runChange(change, deps(api))).toMatchObject({ kind: "asked" });
});

test("a deletion took effect when the workload is no longer there", async () => {
  const deletion: Change = { ...change, call: { op: "deleteService", path, query: undefined, body: undefined } };
  const { api } = scripted(({ op }) => {
    if (op === "getService") throw problem({ maybeSent: false, status: 404, op });
    return "Service was deleted successfully";
  });

  expect(await runChange(deletion, deps(api))).toMatchObject({ kind: "done", after: undefined });
});
