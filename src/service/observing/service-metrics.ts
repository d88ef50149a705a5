import { callBuckets, createRegistry } from "../../platform/observing/registry.ts";
import { statusLabel } from "../../platform/observing/measuring.ts";
import type { Call } from "../../platform/trail.ts";

type Ended = { readonly status: string; readonly seconds: number };

export type ServiceMetrics = ReturnType<typeof createServiceMetrics>;

/** What the workload API counts and times. Labels have only operations of the contract and statuses of a closed list. */
export function createServiceMetrics() {
  const { registry, counter, histogram } = createRegistry();
  const labels = ["operation"] as const; // literal words
  const timed = { labels, buckets: callBuckets };
  const requests = counter("service_requests_total", "Requests by their HTTP status", [...labels, "status"]);
  const requestSeconds = histogram("service_request_seconds", "From a request to its answer", timed);
  const calls = counter("service_engine_calls_total", "Operations that the engine ran", [...labels, "status"]);
  const callSeconds = histogram("service_engine_call_seconds", "Duration of operations in the engine", timed);
  return {
    answered(operation: string, { status, seconds }: Ended) {
      requests.inc({ operation, status: statusLabel(status) });
      requestSeconds.observe({ operation }, seconds);
    },
    called: ({ name: operation }: Call<"engine">, { status, seconds }: Ended) => {
      calls.inc({ operation, status });
      callSeconds.observe({ operation }, seconds);
    },
    /** All of it as OpenMetrics. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
