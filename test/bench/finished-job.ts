/** A completed job, as the workload APIs of the benchmarks list it. */
export function finishedJob(at: number): object {
  return {
    metadata: {
      name: `job-${at}`,
      namespace: "bench",
      uid: `10b0${at}`,
      creationTimestamp: "2026-11-20T08:00:00Z",
      labels: { team: "bench" },
    },
    spec: { parallelism: 1, completions: 1 },
    status: { startTime: "2026-11-20T08:00:01Z", completionTime: "2026-11-20T08:04:01Z", succeeded: 1 },
  };
}
