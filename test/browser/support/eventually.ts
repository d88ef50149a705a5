import { vi } from "vitest";

/** Waits for a check to pass: what a page does after a click takes a moment. Fails with what the check said last. */
export async function eventually(check: () => Promise<void> | void): Promise<void> {
  await vi.waitFor(check, { timeout: 12_000, interval: 30 });
}
