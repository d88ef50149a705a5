import { vi } from "vitest";

/** Retries a check until it passes, since pages need a moment after a click. Fails with the check's last error. */
export async function eventually(check: () => Promise<void> | void): Promise<void> {
  await vi.waitFor(check, { timeout: 12_000, interval: 30 });
}
