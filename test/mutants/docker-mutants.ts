import type { Mutant } from "./mutants.ts";

export const dockerMutants: readonly Mutant[] = [
  {
    bug: "workloads are shown as they were before the daemon went away",
    file: "src/service/engines/docker/daemon-away.ts",
    text: "          if (now) throw refusal(title, now);",
    becomes: "          if (now && title === op) throw refusal(title, now);",
    tests: ["test/service/engines/docker/daemon-away.test.ts"],
  },
  {
    bug: "an outage is over before its containers were looked at",
    file: "src/service/engines/docker/daemon/daemon-health.ts",
    text: "      await catchUp?.();",
    becomes: "      void catchUp;",
    tests: ["test/service/engines/docker/daemon-away.test.ts"],
  },
  {
    bug: "a container is removed before its lines are stored",
    file: "src/service/workloads/lifecycle/start-unit.ts",
    text: "  await logs.flush();\n",
    becomes: "",
    tests: ["test/service/workloads/discard.test.ts"],
  },
  {
    bug: "a container is removed before its end was recorded",
    file: "src/service/workloads/lifecycle/keep-running.ts",
    text: "  const next = await judge(loop, exit, delayMs);\n  if (unit) await options.discard(unit);\n",
    becomes: "  if (unit) await options.discard(unit);\n  const next = await judge(loop, exit, delayMs);\n",
    tests: ["test/service/workloads/discard.test.ts"],
  },
];
