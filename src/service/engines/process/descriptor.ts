import { z } from "zod";
import { describeEngine } from "../../engine-descriptor.ts";
import { quotasOf, quotaVariables } from "../../workloads/host-limits.ts";
import { processLimits, TITLE } from "./limits.ts";

export const processEngine = describeEngine({
  name: "process",
  title: TITLE,
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
