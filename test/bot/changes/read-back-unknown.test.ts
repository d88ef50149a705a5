import { describe, expect, test } from "vitest";
import type { Change, Outcome } from "../../../src/bot/changes/change.ts";
import { readBackUnknown } from "../../../src/bot/changes/read-back.ts";
import { newJob, plain, toFour } from "./support/changes.ts";
import { gone, inTurn, scripted, unreadable } from "./support/scripted.ts";

const service = (size: number, status = "Running"): object => ({
  name: "web",
  uid: "u1",
  status,
  target_instance_size: size,
  containers: [{ resources: { limits: { memory: 512 } } }],
  binding_domain_name: ["a.example.com"],
});

type Told = { readonly outcome: Outcome; readonly sent: readonly string[]; readonly readsAtMs: readonly number[] };

/** Settles with these answers to its reads, on a clock that only its own pauses move. */
async function settled(change: Change, notBeforeMs: number, answers: readonly unknown[]): Promise<Told> {
  let nowMs = 0;
  const readsAtMs: number[] = [];
  const next = inTurn(...answers);
  const { api, sent } = scripted(() => {
    readsAtMs.push(nowMs);
    return next();
  });
  const outcome = await readBackUnknown(change, {
    api,
    signal: new AbortController().signal,
    notBeforeMs,
    wait: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
  });
  return { outcome, sent, readsAtMs };
}

describe("took effect", () => {
  test("is said at the first read that shows it", async () => {
    const { outcome, readsAtMs } = await settled(toFour, 10_000, [service(4)]);

    expect(outcome).toMatchObject({ kind: "done", after: { size: 4 }, alsoMoved: [] });
    expect(readsAtMs).toEqual([250]);
  });

  test("is also found when it shows only after the time limit", async () => {
    const { outcome, readsAtMs } = await settled(toFour, 10_000, [service(2), service(2), service(4)]);

    expect(outcome.kind).toBe("done");
    expect(readsAtMs).toEqual([250, 2_000, 10_500]);
  });
});

describe("did not take effect", () => {
  test("takes two equal reads, the last one later than the time limit", async () => {
    const { outcome, readsAtMs } = await settled(toFour, 10_000, [service(2)]);

    expect(outcome).toMatchInlineSnapshot(`
      {
        "kind": "failed",
        "next": "Try again if you still need it.",
        "why": "It didn't take effect: after 3 checks, instances still 2.",
      }
    `);
    expect(readsAtMs).toEqual([250, 2_000, 10_500]);
  });

  test("is said after two reads when the time limit is long over", async () => {
    const { outcome, sent } = await settled(newJob, 0, [gone]);

    expect(outcome).toMatchInlineSnapshot(`
      {
        "kind": "failed",
        "next": "Try again if you still need it.",
        "why": "It didn't take effect: after 2 checks, there is no job with this name.",
      }
    `);
    expect(sent).toEqual(["getJob", "getJob"]);
  });

  test("is not said of a time limit that ends between the reads before the last one", async () => {
    const { outcome, readsAtMs } = await settled(toFour, 2_001, [service(2)]);

    expect(outcome.kind).toBe("failed");
    expect(readsAtMs).toEqual([250, 2_000, 4_000]);
  });

  test.each([
    ["one read came back", [unreadable, unreadable, service(2)]],
    ["the last read came back before the time limit", [service(2), service(2), unreadable]],
    ["a read in between was another", [service(2), service(3), service(2)]],
  ] as const)("is not said when only %s", async (_, answers) => {
    const { outcome, sent } = await settled(toFour, 10_000, answers);

    expect(outcome.kind).toBe("unknown");
    expect(sent).toHaveLength(3);
  });
});

describe("cannot tell", () => {
  test("is said of a restart after one read", async () => {
    const { outcome, sent } = await settled(plain("restartService"), 10_000, [service(2)]);

    expect(outcome).toMatchInlineSnapshot(`
      {
        "after": {
          "domains": [
            "a.example.com",
          ],
          "env": undefined,
          "images": undefined,
          "memoryMiB": [
            512,
          ],
          "revision": undefined,
          "size": 2,
          "status": "Running",
          "uid": "u1",
        },
        "kind": "unknown",
        "next": "I won't send it again. Check the workload before you try again.",
        "why": "The workload API doesn't report restarts. Right after, the service was running.",
      }
    `);
    expect(sent).toEqual(["getService"]);
  });

  test("is said of a value that somebody else may have set", async () => {
    const { outcome } = await settled(toFour, 10_000, [service(3)]);

    expect(outcome).toMatchObject({
      kind: "unknown",
      after: { size: 3 },
      why: "Now: instances 3, neither the old value nor the requested one. Somebody else may have set it.",
    });
  });

  test("is said of what could not be read", async () => {
    const { outcome, sent } = await settled(toFour, 10_000, [unreadable]);

    expect(outcome).toMatchInlineSnapshot(`
      {
        "after": "unread",
        "kind": "unknown",
        "next": "I won't send it again. Check the workload before you try again.",
        "why": "I couldn't check the workload: The service did not answer in time.",
      }
    `);
    expect(sent).toHaveLength(3);
  });

  test("is said when the bot has to stop: a pause that was cut short proves nothing", async () => {
    const control = new AbortController();
    const { api, sent } = scripted(inTurn(service(2)));
    const wait = (): Promise<void> => {
      if (sent.length === 1) control.abort();
      return Promise.resolve();
    };

    const outcome = await readBackUnknown(toFour, { api, signal: control.signal, notBeforeMs: 0, wait });

    expect(outcome).toMatchObject({ kind: "unknown", after: { size: 2 } });
    expect(sent).toHaveLength(1);
  });
});
