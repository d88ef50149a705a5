import { describe, expect, test } from "vitest";
import type { SendOptions } from "../../src/api/client.ts";
import type { Call, OperationId } from "../../src/api/operations.ts";
import { operationTable } from "../../src/api/operations.ts";
import { Problem } from "../../src/api/problem.ts";
import { stillClock } from "../support/test-clock.ts";
import { apiOver, calls } from "./calls.ts";

type Step = Error | [status: number, headers?: Record<string, string>];
const lost = new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
const refused = new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }) });
const now = new Date("2026-11-21T12:00:00Z");

/** Sends one call to a service that does these steps, the last one for ever; random is always 0.5. */
async function run(call: Call, steps: readonly Step[], options: SendOptions = {}) {
  const waits: number[] = [];
  let sent = 0;
  const api = apiOver(
    () => {
      const step = steps[Math.min(sent, steps.length - 1)] ?? [200];
      sent += 1;
      if (step instanceof Error) return Promise.reject(step);
      const [status, headers = {}] = step;
      return Promise.resolve(new Response('{"jobs":[]}', { status, headers }));
    },
    { clock: { ...stillClock(now), sleep: (ms) => Promise.resolve(void waits.push(ms)) } },
  );
  const outcome = await api.send(call, options).then(
    () => "answered",
    (error: unknown) => (error instanceof Problem ? (error.status ?? error.kind) : error),
  );
  return { sent, waits, outcome };
}

describe("a read is tried up to three times", () => {
  test.each<[string, readonly Step[], Awaited<ReturnType<typeof run>>]>([
    ["when the connection breaks off", [lost, [200]], { sent: 2, waits: [100], outcome: "answered" }],
    ["when nobody listens yet", [refused, refused, [200]], { sent: 3, waits: [100, 200], outcome: "answered" }],
    ["and not a fourth time", [lost], { sent: 3, waits: [100, 200], outcome: "unreachable" }],
    ["after 502, 503 and 504", [[502], [504], [200]], { sent: 3, waits: [100, 200], outcome: "answered" }],
    ["and tells the last status", [[502], [503], [504]], { sent: 3, waits: [100, 200], outcome: 504 }],
    [
      "after 429, when it says when",
      [[429, { "retry-after": "2" }], [200]],
      { sent: 2, waits: [2000], outcome: "answered" },
    ],
    [
      "after 503, at the date that it says",
      [[503, { "retry-after": "Sat, 21 Nov 2026 12:00:03 GMT" }], [200]],
      { sent: 2, waits: [3000], outcome: "answered" },
    ],
    [
      "after 429 with a date in the past",
      [[429, { "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT" }], [200]],
      { sent: 2, waits: [100], outcome: "answered" },
    ],
    ["but not after 429 without a time", [[429]], { sent: 1, waits: [], outcome: 429 }],
    ["nor with one that nobody can read", [[429, { "retry-after": "-1" }]], { sent: 1, waits: [], outcome: 429 }],
    [
      "nor when the time does not fit into the 8 seconds",
      [[429, { "retry-after": "8" }]],
      { sent: 1, waits: [], outcome: 429 },
    ],
    ["nor after 500", [[500]], { sent: 1, waits: [], outcome: 500 }],
    ["nor after 404", [[404]], { sent: 1, waits: [], outcome: 404 }],
  ])("%s", async (_, steps, expected) => {
    expect(await run(calls.listJobs, steps)).toEqual(expected);
  });

  test("as long as its budget allows", async () => {
    const steps: Step[] = [[429, { "retry-after": "2" }], [200]];

    expect(await run(calls.listJobs, steps, { budgetMs: 1500 })).toEqual({ sent: 1, waits: [], outcome: 429 });
    expect(await run(calls.listJobs, steps, { budgetMs: 2500 })).toMatchObject({ sent: 2, waits: [2000] });
  });
});

const writes = Object.values(calls).filter(({ op }) => operationTable[op].effect === "write");

test("eight operations are writes", () => {
  const names: OperationId[] = writes.map(({ op }) => op);

  expect(names).toHaveLength(8);
});

describe.each(writes)("$op is sent once", (call) => {
  test.each<[string, Step, unknown]>([
    ["when the connection breaks off", lost, "unreachable"],
    ["when nobody listens", refused, "unreachable"],
    ["after 429 with a time", [429, { "retry-after": "0" }], 429],
    ["after 500", [500], 500],
    ["after 502", [502], 502],
    ["after 503 with a time", [503, { "retry-after": "0" }], 503],
    ["after 504", [504], 504],
  ])("%s", async (_, step, outcome) => {
    expect(await run(call, [step])).toEqual({ sent: 1, waits: [], outcome });
  });
});
