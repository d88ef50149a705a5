import type { Mutant } from "./mutants.ts";

const kubernetesReads = [
  "test/service/engines/kubernetes/read/service-status.test.ts",
  "test/service/engines/kubernetes/read/failing-service.test.ts",
  "test/service/engines/kubernetes/read/adopted-service.test.ts",
  "test/service/engines/kubernetes/read/jobs.test.ts",
];

const othersObjects = ["test/service/engines/kubernetes/write/others-objects.test.ts"];

const kubernetesWrites = [
  "test/service/engines/kubernetes/write/create-service.test.ts",
  "test/service/engines/kubernetes/write/change-service.test.ts",
];

const execPlugins = ["test/service/engines/kubernetes/cluster/exec-plugin.test.ts"];

export const kubernetesMutants: readonly Mutant[] = [
  {
    bug: "a pod that only matches the selector counts as an instance",
    file: "src/service/engines/kubernetes/read/pods.ts",
    text: '  if (!owner) return "";',
    becomes: '  if (!owner) return deploymentKey(labels["app"] ?? "");',
    tests: kubernetesReads,
  },
  {
    bug: "a crash loop runs between two back-offs",
    file: "src/service/engines/kubernetes/read/pod-health.ts",
    text: "  if (state?.terminated) return restartCount >= 1 && !(ready && end.exitCode === 0);",
    becomes: "  if (state?.terminated) return false && !ready;",
    tests: kubernetesReads,
  },
  {
    bug: "all restarts of an old pod count as those of the last ten minutes",
    file: "src/service/engines/kubernetes/read/restarts.ts",
    text: "  if (!isKnown || last?.end.finishedAt === undefined) return undefined;",
    becomes: "  if ((isKnown && false) || last?.end.finishedAt === undefined) return undefined;",
    tests: kubernetesReads,
  },
  {
    bug: "a restart that Kubernetes hasn't begun is shown as done",
    file: "src/service/engines/kubernetes/read/rollout.ts",
    text: "  const isObserved = status.observedGeneration >= (metadata.generation ?? 0);",
    becomes: "  const isObserved = status.observedGeneration >= 0;",
    tests: kubernetesReads,
  },
  {
    bug: "a job that has ended still says how it would end",
    file: "src/service/engines/kubernetes/read/jobs/job-conditions.ts",
    text: "(!hasEnded && BEFORE.has(type))",
    becomes: "(hasEnded || BEFORE.has(type))",
    tests: kubernetesReads,
  },
  {
    bug: "a sidecar that is ended with its pod is a failure of the job",
    file: "src/service/engines/kubernetes/read/restarts.ts",
    text: "(isEndedSidecar(pod, status) ? { ...status, state: undefined } : status)",
    becomes: "(isEndedSidecar(pod, status) ? { ...status } : status)",
    tests: kubernetesReads,
  },
  {
    bug: "an API server that has just come back lacks a right",
    file: "src/service/engines/kubernetes/cluster/refusal-of.ts",
    text: "  if (error.isEarly) {",
    becomes: "  if (error.isEarly && !right) {",
    tests: ["test/service/engines/kubernetes/cluster/refusal-of.test.ts"],
  },
  {
    bug: "a StatefulSet hides behind a Deployment of its name",
    file: "src/service/engines/kubernetes/read/service-names.ts",
    text: "    if (named.has(name)) taken.push(source);\n    else named.set(name, source);",
    becomes: "    named.set(name, source);",
    tests: kubernetesReads,
  },
  {
    bug: "caches of a cluster reconnect all at once after a failure",
    file: "src/service/engines/kubernetes/cache/watch-objects.ts",
    text: "if (reflection.isUnsettled) await reconnects.turn(closing.signal, () => false);",
    becomes: "",
    tests: ["test/service/engines/kubernetes/cache/cache-outage.test.ts"],
  },
  {
    bug: "a read trusts the objects of a watch that broke",
    file: "src/service/engines/kubernetes/cache/reflection.ts",
    text: 'if (by === "watch") reflection.isDoubted = true;',
    becomes: "",
    tests: ["test/service/engines/kubernetes/cache/cache-faults.test.ts"],
  },
  {
    bug: "the late answer to a write replaces a newer object",
    file: "src/service/engines/kubernetes/cache/object-store.ts",
    text: 'if (order <= 0) return "same";',
    becomes: "",
    tests: ["test/service/engines/kubernetes/cache/object-store.test.ts"],
  },
  {
    bug: "a service doesn't say that its autoscaler forbids to stop it",
    file: "src/service/engines/kubernetes/write/refused-operations.ts",
    text: '  { operation: "stopService", refuse: (found) => refuseSetSize(found, "stopped") },\n',
    becomes: "",
    tests: ["test/service/engines/kubernetes/write/refused-operations.test.ts"],
  },
  {
    bug: "one cluster that is away makes the whole workload API not ready",
    file: "src/service/engines/kubernetes/kubernetes-engine.ts",
    text: "if (problems.some(({ problem }) => !problem?.isAway)) return { ok: true };",
    becomes: "if (problems.every(({ problem }) => !problem?.isAway)) return { ok: true };",
    tests: ["test/service/engines/kubernetes/health.test.ts"],
  },
  {
    bug: "the log database is asked in clear text, whatever its settings say",
    file: "src/service/engines/kubernetes/start-kubernetes.ts",
    text: 'tls: loadTls(tls, "SERVICE_DATABASE")',
    becomes: 'tls: tls === "off" ? loadTls(tls) : ("off" as const)',
    tests: ["test/service/log-database-tls.test.ts"],
  },
  {
    bug: "a service is deleted that took the name of the one which was read",
    file: "src/service/engines/kubernetes/write/delete-service.ts",
    text: '{ propagation: "Foreground", uid: metadata.uid }',
    becomes: '{ propagation: "Foreground" }',
    tests: othersObjects,
  },
  {
    bug: "two instances are created that write to a disk of one node",
    file: "src/service/engines/kubernetes/write/disks.ts",
    text: "if (holdsDisk && size > 1)",
    becomes: "if (holdsDisk && size > 9)",
    tests: othersObjects,
  },
  {
    bug: "a service that writes to a disk of one node gets a second instance",
    file: "src/service/engines/kubernetes/write/change-service.ts",
    text: "if (holdsDisk && writes && after.size > 1)",
    becomes: "if (holdsDisk && writes && after.size > 9)",
    tests: othersObjects,
  },
  {
    bug: "a service is made for a domain that another one has",
    file: "src/service/engines/kubernetes/write/create-service.ts",
    text: "  await refuseTakenDomains(target, definition.domains);\n",
    becomes: "",
    tests: othersObjects,
  },
  {
    bug: "two services that bind a domain at the same moment both get it",
    file: "src/service/engines/kubernetes/write/create-service.ts",
    text: "    await refuseLaterDomains(target, made.routes, deployment.metadata.uid);\n",
    becomes: "",
    tests: othersObjects,
  },
  {
    bug: "taking back a service deletes the disk of another one",
    file: "src/service/engines/kubernetes/write/roll-back.ts",
    text: "  if (!madeBy(request)(found)) return;\n",
    becomes: "",
    tests: othersObjects,
  },
  {
    bug: "a service mounts the disk of somebody else's workload",
    file: "src/service/engines/kubernetes/write/disks.ts",
    text: "if (claim) refuseOthersClaim(region, claim);",
    becomes: "",
    tests: kubernetesWrites,
  },
  {
    bug: "a service mounts a disk that somebody else made a moment ago",
    file: "src/service/engines/kubernetes/write/service-making.ts",
    text: "refuseOthersClaim(region, await region.api.get({ ...place, name: claim }));",
    becomes: "",
    tests: kubernetesWrites,
  },
  {
    bug: "what the cluster refuses is told as somebody else's change",
    file: "src/service/engines/kubernetes/write/change-service.ts",
    text: "const wasOvertaken = !isUnchanged && !testsHold(patch, now);",
    becomes: "const wasOvertaken = !isUnchanged || testsHold(patch, now);",
    tests: kubernetesWrites,
  },
  {
    bug: "a refused token of an exec plugin is used for ever",
    file: "src/service/engines/kubernetes/cluster/exec-plugin.ts",
    text: "      if (last === credentials) last = { ...last, expiresAt: 0 };",
    becomes: "      if (last === credentials) last = { ...last };",
    tests: execPlugins,
  },
  {
    bug: "an exec plugin's error repeats its token",
    file: "src/service/engines/kubernetes/cluster/exec-plugin.ts",
    text: "  const words = withoutSecrets(oneLine(text), secrets);",
    becomes: "  const words = withoutSecrets(oneLine(text), []);",
    tests: execPlugins,
  },
  {
    bug: "other memory leaves a request above the new limit",
    file: "src/service/engines/kubernetes/write/service-patches.ts",
    text: "  if (isAdopted || requested === undefined) return {};",
    becomes: "  if (isAdopted || requested !== 0) return {};",
    tests: ["test/service/engines/kubernetes/write/pod-security.test.ts"],
  },
];
