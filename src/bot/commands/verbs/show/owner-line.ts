import type { Service } from "../../../../api/answers.ts";
import type { Line } from "../../../views/kit/blocks.ts";
import { words } from "../../../views/kit/inline.ts";

/** "Managed by Helm release shop · size set by autoscaler web-hpa". */
export function ownerLines({
  managed_by: owner,
  size_set_by: sizer,
}: Pick<Service, "managed_by" | "size_set_by">): Line[] {
  const size = sizer === undefined ? [] : [`${owner === undefined ? "Size" : "size"} set by ${sizer}`];
  const parts = [...(owner === undefined ? [] : [`Managed by ${owner}`]), ...size];
  return parts.length === 0 ? [] : [[words(parts.join(" · "), 400)]];
}
