import type { ChangeRecord } from "./records.ts";
import type { Written } from "./service-side.ts";

/** How requests end when nothing is wrong. What must not be is in `faults.ts`. */
export const outcomes = [
  "done, with one write",
  "failed without a write",
  "refused by the service",
  "cannot tell",
  "rejected",
  "cancelled",
  "expired",
  "drifted",
  "no end, or one that is a fault",
] as const;
export type Outcome = (typeof outcomes)[number];

/** How a request ended, by its row and by what the service saw of it. */
export function outcomeOf({ state }: ChangeRecord, { arrived, done }: Written): Outcome {
  switch (state) {
    case "done":
      return arrived === 1 && done === 1 ? "done, with one write" : "no end, or one that is a fault";
    case "failed":
      if (done > 0 || arrived > 1) return "no end, or one that is a fault";
      return arrived === 0 ? "failed without a write" : "refused by the service";
    case "unknown":
      return "cannot tell";
    case "rejected":
    case "cancelled":
    case "expired":
    case "drifted":
      return state;
    case "pending":
    case "approved":
    case "claimed":
      return "no end, or one that is a fault";
  }
}
