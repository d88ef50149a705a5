import { setTimeout as pause } from "node:timers/promises";
import type { Unit } from "../runtime.ts";
import { unawaited } from "../../../platform/unawaited.ts";

const POLL_MS = 50;
/** A container with ports has this many times as long to become ready as one without. */
const PORT_PATIENCE = 20;

/**
 * Resolves to true when all ports of the unit answer, or when it has stayed up for `readyAfterMs` if it has none. One
 * that never opens its ports is ready after a longer time, because it may well do other work; its log says so.
 */
export async function whenReady(unit: Unit, { readyAfterMs, onSilentPorts }: ReadyTimes): Promise<boolean> {
  const gone = new AbortController();
  unawaited(unit.exited.finally(() => gone.abort()));
  const waitMs = unit.answers ? readyAfterMs * PORT_PATIENCE : readyAfterMs;
  const deadline = performance.now() + waitMs;
  while (!gone.signal.aborted && performance.now() < deadline) {
    if (unit.answers && (await unit.answers())) return !gone.signal.aborted;
    await pause(Math.max(1, Math.min(POLL_MS, deadline - performance.now())));
  }
  if (unit.answers && !gone.signal.aborted) onSilentPorts(waitMs);
  return !gone.signal.aborted;
}

type ReadyTimes = { readonly readyAfterMs: number; readonly onSilentPorts: (waitedMs: number) => void };
