import { stillClock } from "../../../support/test-clock.ts";
import type { GuardedAccountApi } from "../../../../src/api/client.ts";
import type { Change, Outcome } from "../../../../src/bot/changes/change.ts";
import { digestOf } from "../../../../src/bot/changes/drift.ts";
import { executeChange, type Execution } from "../../../../src/bot/changes/execute.ts";
import { toFour } from "./changes.ts";

/** What a fresh Change, the one to four instances, is given that nobody else has claimed. */
export function deps(api: GuardedAccountApi, more: Partial<Execution> = {}): Execution {
  return {
    api,
    signal: new AbortController().signal,
    wait: () => Promise.resolve(),
    isFresh: true,
    digest: digestOf(toFour),
    refusalNow: () => Promise.resolve(undefined),
    claim: () => Promise.resolve("claimed"),
    mayLeave: () => true,
    doubt: () => Promise.resolve(),
    resourcesKey: "resources",
    asked: { person: "U1", request: "AAA111" },
    clock: stillClock(),
    healthyAfterMs: 60_000,
    ...more,
  };
}

/** What its execution came to, of a Change that was claimed. */
export async function outcomeOf(change: Change, all: Execution): Promise<Outcome> {
  const executed = await executeChange(change, all);
  if (executed.kind !== "ended") throw new Error(`it did not end: ${executed.kind}`);
  return executed.outcome;
}

/** The service of the sample changes, as it is answered. */
export const service = (size: number, memory = 512): object => ({
  name: "web",
  uid: "u1",
  status: "Running",
  target_instance_size: size,
  ready_instances: size,
  containers: [{ name: "web", resources: { limits: { memory } } }],
  binding_domain_name: ["a.example.com"],
});
