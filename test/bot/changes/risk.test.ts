import { expect, test } from "vitest";
import { riskOf } from "../../../src/bot/changes/updatable-fields.ts";
import type { Snapshot } from "../../../src/bot/changes/updatable-fields.ts";
import { before, jobDeletion, memoryTo, newJob, newService, plain, update } from "./support/changes.ts";

const unknownSize: Snapshot = { ...before, size: undefined };
const none: Snapshot = { ...before, size: 0, domains: [] };

test.each([
  ["creating a service", newService(), "routine"],
  ["creating a job", newJob, "routine"],
  ["starting", plain("startService"), "routine"],
  ["restarting", plain("restartService"), "disruptive"],
  ["stopping", plain("stopService"), "disruptive"],
  ["deleting a service", plain("deleteService"), "destructive"],
  ["deleting a job", jobDeletion, "destructive"],
  ["scaling up", update({ target_instance_size: 3 }), "routine"],
  ["scaling up from 0", update({ target_instance_size: 1 }, none), "routine"],
  ["scaling to the same", update({ target_instance_size: 2 }), "disruptive"],
  ["scaling down", update({ target_instance_size: 1 }), "disruptive"],
  ["scaling from what is not known", update({ target_instance_size: 9 }, unknownSize), "disruptive"],
  ["scaling to 0", update({ target_instance_size: 0 }), "destructive"],
  ["scaling to 0 from 0", update({ target_instance_size: 0 }, none), "destructive"],
  ["scaling to 0 from what is not known", update({ target_instance_size: 0 }, unknownSize), "destructive"],
  ["more memory", memoryTo(1024), "disruptive"],
  ["less memory", memoryTo(256), "disruptive"],
  ["adding a domain", update({ binding_domain_name: ["a.example.com", "b.example.com"] }), "routine"],
  ["adding the first domain", update({ binding_domain_name: ["b.example.com"] }, none), "routine"],
  ["the same domain in capitals", update({ binding_domain_name: ["A.Example.com"] }), "routine"],
  ["removing a domain", update({ binding_domain_name: [] }), "destructive"],
  ["putting one domain for another", update({ binding_domain_name: ["b.example.com"] }), "destructive"],
  [
    "setting domains of which the old ones are not known",
    update({ binding_domain_name: ["a.example.com", "b.example.com"] }, { ...before, domains: undefined }),
    "destructive",
  ],
  [
    "setting domains of what was not read",
    { ...update({ binding_domain_name: ["b.example.com"] }), before: undefined },
    "destructive",
  ],
  ["an update that names no known field", update({}), "disruptive"],
  ["the worst of several", update({ target_instance_size: 3, binding_domain_name: [] }), "destructive"],
  ["the worst of two", update({ target_instance_size: 3, containers: [] }), "disruptive"],
] as const)("%s", (_, { call, before: read }, risk) => {
  expect(riskOf(call, read)).toBe(risk);
});
