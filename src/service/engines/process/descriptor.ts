import { z } from "zod";
import { describeEngine } from "../../engine-descriptor.ts";
import { quotasOf, quotaVariables } from "../../workloads/quota.ts";
import type { Limit } from "../../engine.ts";

/** What processes can't do as containers would. A local trial and the tests use this engine: nothing here is routed. */
export const processLimits: readonly Limit[] = [
  {
    feature: "images",
    effect: "partly",
    why: "it runs the programs that Gantry brings, and names them when it refuses another image",
  },
  { feature: "pullAlways", effect: "kept", why: "its programs are part of Gantry, so there is nothing to pull" },
  {
    feature: "memory",
    effect: "partly",
    why: "a program that exceeds its limit is killed within about a second; macOS limits only its heap",
  },
  {
    feature: "mountPaths",
    effect: "kept",
    why: "a program finds the folder of a volume in the variable GANTRY_VOLUME_NAME",
  },
  { feature: "ports", effect: "partly", why: "a port mapping gets a port of 127.0.0.1 on this machine" },
  { feature: "domains", effect: "kept", why: "a domain belongs to one service, but nothing routes it" },
  { feature: "readOnlyDisks", effect: "kept", why: "programs can write to every volume; the log says so at the start" },
  {
    feature: "timezone",
    effect: "partly",
    why: "a program gets the variable TZ, and its answers show the volume that a cluster would mount",
  },
];

export const processEngine = describeEngine({
  name: "process",
  title: "Node processes",
  runs: "demo programs on this machine",
  variables: {
    ...quotaVariables,
    SERVICE_HOST_COMMANDS: {
      schema: z.literal("allow", "must be unset, or allow: then every API user can run any program on this machine"),
      unset: "",
      meaning: "`allow`: the local workload API runs any program of this machine. Refused with real Slack.",
      elsewhere: "Containers run images, no programs of this machine.",
      withRealSlack: "isn't allowed with real Slack: anybody there could run any program on this machine. Unset it.",
    },
  },
  regions: { from: "settings" },
  isTrial: true,
  says: {
    running: "a workload API that runs real processes on this machine.",
    afterStop: "Running services start again next time.",
    place: "This machine",
    withRealSlack:
      "WARNING: Slack is real, but the workload API is the built-in one. People in Slack start processes on this machine.",
  },
  docs: { page: "docs/kubernetes.md", limits: () => ({ bare: processLimits, full: processLimits }) },
  settings: (values, regions) => ({
    regions,
    allowHostCommands: values.SERVICE_HOST_COMMANDS === "allow",
    quotas: quotasOf(values),
  }),
  async open(settings, parts) {
    const { openProcessEngine } = await import("./process-engine.ts");
    return { ...(await openProcessEngine({ ...parts, ...settings })), found: [] };
  },
});
