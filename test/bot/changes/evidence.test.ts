import { describe, expect, test } from "vitest";
import type { Change } from "../../../src/bot/changes/change.ts";
import { evidenceOf } from "../../../src/bot/changes/effect.ts";
import type { Snapshot } from "../../../src/bot/changes/updatable-fields.ts";
import {
  before,
  jobBefore,
  jobDeletion,
  memoryTo,
  newJob,
  newService,
  plain,
  toFour,
  update,
} from "./support/changes.ts";

const stopped = { ...before, status: "Stopped" };
const as = (status: string | undefined): Snapshot => ({ ...before, status });
const was = (op: Parameters<typeof plain>[0], status: string | undefined): Change => plain(op, as(status));
const anew = { ...before, uid: "u2" };
const twoFields = update({ target_instance_size: 4, binding_domain_name: [] });

describe("what is read back after a write without an answer", () => {
  test.each<[string, Change, Snapshot, string]>([
    ["an update as asked", toFour, { ...before, size: 4 }, "took-effect"],
    ["an update as before", toFour, before, "untouched"],
    ["an update with a value that is neither", toFour, { ...before, size: 3 }, "moving"],
    ["an update of which one half shows", twoFields, { ...before, size: 4 }, "moving"],
    ["an update of which both halves show", twoFields, { ...before, size: 4, domains: [] }, "took-effect"],
    [
      "an update of what was not told before",
      memoryTo(1024, { ...before, memoryMiB: [] }),
      { ...before, memoryMiB: [1024] },
      "cannot-tell",
    ],
    ["an update of what isn't told any more", twoFields, { ...before, size: 4, domains: undefined }, "cannot-tell"],
    ["a start in other words", was("startService", "STOPPED"), as("active"), "took-effect"],
    ["a stop in other words", was("stopService", "running"), as("suspended"), "took-effect"],
    ["a deletion in other words", plain("deleteService"), as("DELETING"), "moving"],
    [
      "a new service whose domains nobody tells",
      newService({ binding_domain_name: ["b.example.com"] }),
      { ...before, domains: undefined },
      "took-effect",
    ],
    [
      "a new service without the domains",
      newService({ binding_domain_name: ["b.example.com"] }),
      { ...before, domains: [] },
      "cannot-tell",
    ],
    ["an update of a service that is gone", toFour, undefined, "cannot-tell"],
    ["an update of a service that was made anew", toFour, { ...anew, size: 4 }, "cannot-tell"],
    ["a start that runs", was("startService", "Stopped"), before, "took-effect"],
    ["a start that is still stopped", was("startService", "Stopped"), stopped, "untouched"],
    ["a start on its way", was("startService", "Stopped"), as("Starting"), "moving"],
    ["a start of what was on its way", was("startService", "Starting"), before, "cannot-tell"],
    ["a start of what has failed, and has failed", was("startService", "Failed"), as("Failed"), "moving"],
    ["a stop that is stopped", was("stopService", "Running"), stopped, "took-effect"],
    ["a stop that still runs", was("stopService", "Running"), before, "untouched"],
    ["a stop of what was stopping", was("stopService", "Stopping"), stopped, "cannot-tell"],
    ["a stop of what is still stopping", was("stopService", "Stopping"), as("Stopping"), "moving"],
    ["a stop of what had a word that nobody knows", was("stopService", "Halting"), stopped, "cannot-tell"],
    ["a stop where no status is told", was("stopService", undefined), as(undefined), "cannot-tell"],
    ["a stop of a service that is gone", was("stopService", "Running"), undefined, "cannot-tell"],
    ["a restart", plain("restartService"), before, "cannot-tell"],
    ["a deletion that is gone", plain("deleteService"), undefined, "took-effect"],
    ["a deletion whose name somebody took", plain("deleteService"), anew, "took-effect"],
    ["a deletion that is still there", plain("deleteService"), before, "untouched"],
    ["a deletion on its way", plain("deleteService"), as("Deleting"), "moving"],
    ["a deletion of what was being deleted", was("deleteService", "Deleting"), as("Deleting"), "moving"],
    ["a deleted job", jobDeletion, undefined, "took-effect"],
    ["a job that is still there", jobDeletion, jobBefore, "untouched"],
    ["a new service", newService({ target_instance_size: 2 }), before, "took-effect"],
    [
      "a new service that tells nothing",
      newService({ target_instance_size: 2 }),
      { ...jobBefore, uid: "u9" },
      "took-effect",
    ],
    ["a new service of another size", newService({ target_instance_size: 5 }), before, "cannot-tell"],
    ["a new service with other domains", newService({ binding_domain_name: ["b.example.com"] }), before, "cannot-tell"],
    ["no new service", newService(), undefined, "untouched"],
    ["a new job", newJob, jobBefore, "took-effect"],
    ["no new job", newJob, undefined, "untouched"],
  ])("%s", (...[, change, after, kind]) => {
    expect(evidenceOf(change, after).kind).toBe(kind);
  });
});

test("a new service with other memory may be somebody else's", () => {
  const change = newService({ containers: [{ image: "a", resources: { limits: { memory: "256" } } }] });

  expect(evidenceOf(change, before)).toMatchInlineSnapshot(`
    {
      "kind": "cannot-tell",
      "why": "A service with this name exists now, with other memory. Somebody else may have created it.",
    }
  `);
});

test("what else moved is named", () => {
  expect(evidenceOf(toFour, { ...before, size: 4, memoryMiB: [1024] })).toMatchInlineSnapshot(`
    {
      "alsoMoved": [
        "memory 512 MiB → 1024 MiB",
      ],
      "kind": "took-effect",
    }
  `);
});

test.each<[string, Change, Snapshot, string]>([
  [
    "update",
    toFour,
    { ...before, size: 3 },
    "Now: instances 3, neither the old value nor the requested one. Somebody else may have set it.",
  ],
  ["start", was("startService", "Starting"), before, "It is running and was starting, which can have other causes."],
  [
    "restart",
    plain("restartService"),
    before,
    "The workload API doesn't report restarts. Right after, the service was running.",
  ],
  [
    "create",
    newService({ target_instance_size: 5 }),
    before,
    "A service with this name exists now, with 2 instances instead of 5. Somebody else may have created it.",
  ],
])("the sentence of an uncertain %s", (...[, change, after, why]) => {
  expect(evidenceOf(change, after)).toMatchObject({ why });
});
