import type { Snapshot } from "./change.ts";

/**
 * How the execution of a Change ended, in words that keep "asked" and "took effect" apart.
 * - `done`: the workload was read back and is as asked. `alsoMoved` names what else changed meanwhile.
 * - `asked`: the service accepted, and what was read back does not show it yet, or cannot show it (a restart).
 * - `failed`: it did not happen: refused, never sent, or accepted without any effect.
 * - `unknown`: the request may have reached the service and no answer came; it is never sent again by itself.
 */
export type Outcome =
  | { readonly kind: "done"; readonly after: Snapshot; readonly alsoMoved: readonly string[] }
  | { readonly kind: "asked"; readonly after: Snapshot; readonly why: string }
  | { readonly kind: "failed"; readonly why: string; readonly next: string }
  | { readonly kind: "unknown"; readonly after: Snapshot | "unread"; readonly why: string; readonly next: string };
