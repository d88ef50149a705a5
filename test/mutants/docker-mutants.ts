import type { Mutant } from "./mutants.ts";

const containers = ["test/service/engines/docker/containers.test.ts"];

export const dockerMutants: readonly Mutant[] = [
  {
    bug: "all instances of a service are replaced at once",
    file: "src/service/workloads/services/next-steps.ts",
    text: "Math.floor(size / 4)",
    becomes: "size",
    tests: ["test/service/workloads/services/next-steps.test.ts"],
  },
  {
    bug: "a health check that Podman leaves to a systemd that isn't there is never run",
    file: "src/service/engines/docker/units/health-check.ts",
    text: "      await daemon.checkHealth(id, timeoutMs + LATE_MS);\n",
    becomes: "",
    tests: ["test/service/engines/docker/health-check.test.ts"],
  },
  {
    bug: "on Podman, a container without a health check waits for one",
    file: "src/service/engines/docker/daemon/daemon-schemas.ts",
    text: "  if (!found || !check || ",
    becomes: "  if (!found || ",
    tests: ["test/service/engines/docker/health-check.test.ts"],
  },
  {
    bug: "a container that somebody removed counts as killed",
    file: "src/service/engines/docker/units/container-watch.ts",
    text: "      if (!found) return removedAt(last);",
    becomes: "      if (!found) return exitOf(last);",
    tests: containers,
  },
  {
    bug: "a damaged log is shown without the lines that it lost",
    file: "src/service/workloads/logs/log-store.ts",
    text: "    await ensureWholeDay(tx, page);\n",
    becomes: "",
    tests: ["test/service/workloads/logs/damaged-file.test.ts"],
  },
  {
    bug: "workloads are shown as they were before the daemon went away",
    file: "src/service/engines/docker/docker-engine.ts",
    text: "          if (now) {",
    becomes: "          if (now && title === op) {",
    tests: ["test/service/engines/docker/docker-engine.test.ts"],
  },
  {
    bug: "an outage is over before its containers were looked at",
    file: "src/service/engines/docker/daemon/daemon-health.ts",
    text: "      await catchUp?.();",
    becomes: "      void catchUp;",
    tests: ["test/service/engines/docker/docker-engine.test.ts"],
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
    text: "  if (stopping.signal.aborted) await options.onStopped?.(exit);\n  else next = await options.onExit(exit, { failures, delayMs });\n  if (unit) await options.discard(unit);\n",
    becomes:
      "  if (unit) await options.discard(unit);\n  if (stopping.signal.aborted) await options.onStopped?.(exit);\n  else next = await options.onExit(exit, { failures, delayMs });\n",
    tests: ["test/service/workloads/discard.test.ts"],
  },
  {
    bug: "a container may gain privileges that its image brings",
    file: "src/service/engines/docker/daemon/daemon-containers.ts",
    text: 'SecurityOpt: ["no-new-privileges"],',
    becomes: "",
    tests: containers,
  },
  {
    bug: "the ports of a container are open to the network",
    file: "src/service/engines/docker/daemon/daemon-containers.ts",
    text: 'HostIp: "127.0.0.1"',
    becomes: 'HostIp: "0.0.0.0"',
    tests: containers,
  },
  {
    bug: "a container that was made for another definition and never started is used",
    file: "src/service/engines/docker/units/start-container.ts",
    text: 'other.state !== "created" && ',
    becomes: "",
    tests: containers,
  },
  {
    bug: "a container whose start is in progress is removed",
    file: "src/service/engines/docker/units/container-watch.ts",
    text: "    if (now - since < times.strangerMs) continue;\n",
    becomes: "",
    tests: containers,
  },
  {
    bug: "a container of an image that was committed from one of ours is removed",
    file: "src/service/engines/docker/own-containers.ts",
    text: "return listed.filter(isOwn);",
    becomes: "return listed;",
    tests: ["test/service/engines/docker/own-containers.test.ts"],
  },
  {
    bug: "somebody else's container with the name of ours is replaced",
    file: "src/service/engines/docker/units/start-container.ts",
    text: "if (other && !isOwn(other)) {",
    becomes: 'if (other && !isOwn(other) && name === "") {',
    tests: ["test/service/engines/docker/own-containers.test.ts"],
  },
];
