import { createHash } from "node:crypto";
import type { Change } from "./change.ts";
import { dependsOn } from "./depends-on.ts";

/**
 * A sha-256 in hex over the workload's identity and the fields that the Change depends on, as they were read before:
 * equal digests of the same Call mean that nothing it depends on has moved. Lists in a fixed order keep the JSON
 * canonical. Pure.
 */
export function digestOf(change: Change): string {
  const { kind, region, name } = change.workload;
  const fields = dependsOn(change, change.before).map(({ field, value }) => [field, value]);
  return createHash("sha256")
    .update(JSON.stringify([kind, region, name, fields]))
    .digest("hex");
}
