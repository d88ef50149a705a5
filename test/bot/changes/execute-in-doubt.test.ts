import { describe, expect, test } from "vitest";
import { executeChange } from "../../../src/bot/changes/execute.ts";
import type { Outcome } from "../../../src/bot/changes/change.ts";
import { before, plain, toFour } from "./support/changes.ts";
import { deps, outcomeOf, service } from "./support/execution.ts";
import { problem, scripted, unreadable } from "./support/scripted.ts";

const lost = problem({ maybeSent: true });

describe("a write whose answer is missing", () => {
  test("is in doubt on record before it is read back, and is not sent again", async () => {
    const order: string[] = [];
    const { api, sent } = scripted(({ op }) => {
      if (op === "updateService") throw lost;
      order.push(op);
      return service(4);
    });
    const doubt = ({ kind }: Outcome): Promise<void> => {
      order.push(kind);
      return Promise.resolve();
    };

    const outcome = await outcomeOf(toFour, deps(api, { doubt }));

    expect(outcome).toMatchObject({ kind: "done", after: { size: 4 } });
    expect(order).toEqual(["unknown", "getService"]);
    expect(sent).toEqual(["updateService", "getService"]);
  });

  test("did not take effect when it is still as before after the time limit", async () => {
    let waitedMs = 0;
    const { api, sent } = scripted(({ op }) => {
      if (op === "updateService") throw lost;
      return service(2);
    });
    const wait = (ms: number): Promise<void> => {
      waitedMs += ms;
      return Promise.resolve();
    };

    const outcome = await outcomeOf(toFour, deps(api, { wait }));

    expect(outcome).toMatchInlineSnapshot(`
      {
        "kind": "failed",
        "next": "Try again if you still need it.",
        "why": "The service did not answer in time. It didn't take effect: after 3 checks, instances still 2.",
      }
    `);
    expect(waitedMs).toBeGreaterThan(10_000);
    expect(sent).toEqual(["updateService", "getService", "getService", "getService"]);
  });

  test("stays in doubt when it cannot be read back", async () => {
    const { api } = scripted(({ op }) => {
      throw op === "updateService" ? lost : unreadable;
    });

    expect(await outcomeOf(toFour, deps(api))).toMatchInlineSnapshot(`
      {
        "after": "unread",
        "kind": "unknown",
        "next": "I won't send it again. Check the workload before you try again.",
        "why": "The service did not answer in time. I couldn't check the workload: The service did not answer in time.",
      }
    `);
  });

  test("is a restart that cannot be told", async () => {
    const { api } = scripted(({ op }) => {
      if (op === "restartService") throw lost;
      return service(2);
    });

    expect(await outcomeOf(plain("restartService"), deps(api))).toMatchObject({
      kind: "unknown",
      why: expect.stringContaining("The workload API doesn't report restarts. Right after, the service was running."),
    });
  });

  test.each([
    ["at once", 0],
    ["while it is read back", 1],
  ] as const)("is left in doubt, for the next one to look, when the bot stops %s", async (_, reads) => {
    const control = new AbortController();
    let doubts = 0;
    const { api, sent } = scripted(({ op }) => {
      if (sent.length > reads) control.abort();
      if (op === "updateService") throw lost;
      return service(2);
    });
    const doubt = (): Promise<void> => {
      doubts += 1;
      return Promise.resolve();
    };

    const executed = await executeChange(toFour, deps(api, { doubt, signal: control.signal }));

    expect(executed).toEqual({ kind: "lost" });
    expect([doubts, sent.length]).toEqual([1, reads + 1]);
  });
});

test.each([
  ["answered", false, { revision: 7, isReady: true }],
  ["whose answer is missing", true, { revision: 7, isReady: true }],
  ["answered, while it wasn't ready", false, { revision: 7, isReady: false }],
])("names the revision that it found, which going back compares with: %s", async (_how, isLost, over) => {
  const { api } = scripted(({ op }) => {
    if (op === "updateService" && isLost) throw lost;
    return op === "getService" ? service(4) : {};
  });
  const found = { ...before, revision: 7, ...(over.isReady && { isReady: true }) };

  expect(await outcomeOf({ ...toFour, before: found }, deps(api))).toMatchObject({ kind: "done", over });
});
