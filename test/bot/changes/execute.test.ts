import { describe, expect, test } from "vitest";
import type { Change } from "../../../src/bot/changes/change.ts";
import { digestOf } from "../../../src/bot/changes/drift.ts";
import { executeChange } from "../../../src/bot/changes/execute.ts";
import { toFour } from "./support/changes.ts";
import { deps, outcomeOf, service } from "./support/execution.ts";
import { gone, inTurn, problem, scripted, unreadable } from "./support/scripted.ts";

describe("a change that is carried out", () => {
  test("is read back once when it took effect", async () => {
    const { api, sent } = scripted(({ op }) => (op === "getService" ? service(4) : {}));

    const outcome = await outcomeOf(toFour, deps(api));

    expect(outcome).toMatchObject({ kind: "done", after: { size: 4 }, alsoMoved: [] });
    expect(sent).toEqual(["updateService", "getService"]);
  });

  test("is on record as claimed before the request leaves", async () => {
    const order: string[] = [];
    const { api } = scripted(({ op }) => {
      order.push(op);
      return op === "getService" ? service(4) : {};
    });
    const claim = (): Promise<"claimed"> => {
      order.push("claim");
      return Promise.resolve("claimed");
    };

    await executeChange(toFour, deps(api, { claim }));

    expect(order).toEqual(["claim", "updateService", "getService"]);
  });

  test("is claimed with what was found right before: the workload, and the version to go back to", async () => {
    const revisions = [
      { revision: 3, images: ["shop/web:1.5"] },
      { revision: 2, images: ["shop/web:1.4"], outcome: "done" },
    ];
    const now = { ...service(2), revision: 3, revisions, rollout: { state: "progressing", from: 2, to: 3 } };
    const { api } = scripted(({ op }) => (op === "getService" ? now : {}));
    const found: unknown[] = [];
    const claim = (change: unknown): Promise<"lost"> => {
      found.push(change);
      return Promise.resolve("lost");
    };

    await executeChange(toFour, deps(api, { claim, isFresh: false }));

    expect(found).toEqual([
      {
        ...toFour,
        before: expect.objectContaining({ revision: 3 }),
        backTo: { revision: 2, images: ["shop/web:1.4"] },
      },
    ]);
  });

  test.each(["busy", "lost"] as const)("is not sent when the claim is %s", async (kind) => {
    const { api, sent } = scripted(() => ({}));

    const executed = await executeChange(toFour, deps(api, { claim: () => Promise.resolve(kind) }));

    expect(executed).toEqual({ kind });
    expect(sent).toEqual([]);
  });

  test("is neither read, claimed nor sent when it is already so", async () => {
    const { api, sent } = scripted(() => ({}));
    let claims = 0;
    const claim = (): Promise<"claimed"> => {
      claims += 1;
      return Promise.resolve("claimed");
    };

    const outcome = await outcomeOf({ ...toFour, diff: [] }, deps(api, { claim, isFresh: false }));

    expect(outcome.kind).toBe("done");
    expect([sent.length, claims]).toEqual([0, 0]);
  });

  test("says whether it may still leave when it is sent", async () => {
    const asked: (boolean | undefined)[] = [];
    const { api } = scripted(({ op }, { mayLeave }) => {
      if (op === "getService") return service(4);
      asked.push(mayLeave?.());
      return {};
    });

    await executeChange(toFour, deps(api, { mayLeave: () => false }));

    expect(asked).toEqual([false]);
  });

  test("that was refused did not happen", async () => {
    const { api, sent } = scripted(() => {
      throw problem({ maybeSent: false, status: 409 });
    });

    const outcome = await outcomeOf(toFour, deps(api));

    expect(outcome).toMatchObject({ kind: "failed", why: "The service did not answer in time." });
    expect(sent).toEqual(["updateService"]);
  });
});

describe("a change that is not fresh is read again first", () => {
  test("and is sent when nothing that it depends on has moved; what else had moved is not put down to it", async () => {
    let isSent = false;
    const { api, sent } = scripted(({ op }) => {
      if (op === "getService") return service(isSent ? 4 : 2, 1024);
      isSent = true;
      return {};
    });

    const outcome = await outcomeOf(toFour, deps(api, { isFresh: false }));

    expect(outcome).toMatchObject({ kind: "done", alsoMoved: [] });
    expect(sent).toEqual(["getService", "updateService", "getService"]);
  });

  test.each([
    ["a field has moved", service(3), { field: "instances", now: "3", asked: "4" }],
    ["it was deleted", gone, { field: "the workload", now: "deleted", asked: undefined }],
  ] as const)("and is neither claimed nor sent when %s", async (_, answer, row) => {
    const { api, sent } = scripted(inTurn(answer));
    const claim = (): Promise<"claimed"> => Promise.reject(new Error("it was claimed"));

    const executed = await executeChange(toFour, deps(api, { isFresh: false, claim }));

    expect(executed).toMatchObject({ kind: "drifted", drift: [row] });
    expect(sent).toEqual(["getService"]);
  });

  test("and is not sent on the word of another version of Gantry, which may have looked at other fields", async () => {
    const { api, sent } = scripted(inTurn(service(2)));
    const claim = (): Promise<"claimed"> => Promise.reject(new Error("it was claimed"));

    const executed = await executeChange(toFour, deps(api, { isFresh: false, claim, digest: "0".repeat(64) }));

    expect(executed).toMatchObject({ kind: "drifted", drift: [{ field: "the workload", now: "can't be compared" }] });
    expect(sent).toEqual(["getService"]);
  });

  test("and is refused when it cannot be read", async () => {
    const { api, sent } = scripted(inTurn(problem({ maybeSent: false, status: 401, op: "getService" })));
    const claim = (): Promise<"claimed"> => Promise.reject(new Error("it was claimed"));

    const executed = await executeChange(toFour, deps(api, { isFresh: false, claim }));

    expect(executed).toMatchInlineSnapshot(`
      {
        "kind": "refused",
        "outcome": {
          "kind": "failed",
          "next": "Try again.",
          "why": "Couldn't check the workload before the change: The service did not answer in time.",
        },
      }
    `);
    expect(sent).toEqual(["getService"]);
  });

  test("and so isn't a run of a CronJob that can't be read", async () => {
    const { api } = scripted(({ op, path }) => {
      if (op !== "getJob" || !("job_name" in path) || path.job_name === "nightly") throw unreadable;
      throw gone;
    });
    const claim = (): Promise<"claimed"> => Promise.reject(new Error("it was claimed"));
    const run: Change = {
      call: {
        op: "createJob",
        path: { region: "us", job_name: "nightly-1" },
        query: undefined,
        body: { from_cron_job: "nightly" },
      },
      workload: { kind: "job", region: "us", name: "nightly-1", uid: undefined },
      before: undefined,
      diff: ["runs CronJob nightly now"],
    };

    const executed = await executeChange(run, deps(api, { isFresh: false, claim, digest: digestOf(run) }));

    expect(executed).toMatchObject({ kind: "refused", outcome: { why: expect.stringContaining("Couldn't check") } });
  });

  test("and is left for the next one when the bot stops meanwhile", async () => {
    const control = new AbortController();
    const { api } = scripted(() => {
      control.abort();
      throw unreadable;
    });
    const claim = (): Promise<"claimed"> => Promise.reject(new Error("it was claimed"));

    const executed = await executeChange(toFour, deps(api, { isFresh: false, claim, signal: control.signal }));

    expect(executed).toEqual({ kind: "lost" });
  });
});
