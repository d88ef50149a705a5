import { type Engine, Refusal } from "../../engine.ts";
import type { Outage } from "./daemon/daemon-health.ts";

/** Their lines are in the log store, so they are read without the daemon. */
const WITHOUT_DAEMON: readonly string[] = ["getServiceLogs", "getJobInstanceLogs"];

const RETRY_AFTER_SECONDS = 5;

type Watched = { readonly title: string; readonly outage: () => Outage | undefined };

/** `Docker hasn't answered since 2026-11-22T14:59:57Z: nothing listens there.` Without addresses: anybody may read it. */
export function outageSentence(title: string, { since, why }: Outage): string {
  return `${title} hasn't answered since ${since.toISOString().replace(/\.\d+Z$/u, "Z")}: ${why}.`;
}

/**
 * Wraps an engine to answer 503 while the daemon doesn't answer: what it would say of workloads may be wrong by now, and
 * nothing that it accepted could be done.
 */
export function refusingWhileAway(engine: Engine, { title, outage }: Watched): Engine {
  const entries = Object.entries(engine).map(([op, run]) => [
    op,
    WITHOUT_DAEMON.includes(op)
      ? run
      : async (request: unknown) => {
          const now = outage();
          if (now) throw refusal(title, now);
          return await (run as Run)(request); // each operation takes one request
        },
  ]);
  return Object.fromEntries(entries) as Engine; // the same operations
}

type Run = (request: unknown) => Promise<unknown>;

function refusal(title: string, outage: Outage): Refusal {
  const sentence = outageSentence(title, outage);
  return new Refusal(503, `${sentence} Nothing was changed. Try again when it is back; logs can be read meanwhile.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
