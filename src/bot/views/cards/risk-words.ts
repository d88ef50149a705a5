import type { StoredChange } from "../../changes/stored-change.ts";

type Risky = Pick<StoredChange, "op" | "risk"> & { readonly verb?: string };

/** How a request can hurt; undefined for a routine one. Only a deletion can't be undone. */
export function effectWords({ op, risk, verb }: Risky): string | undefined {
  if (op === "deleteService" || op === "deleteJob") return "can't be undone";
  if (risk === "routine") return undefined;
  if (op === "stopService") return "takes it offline";
  if (op === "restartService") return "causes a short interruption";
  if (verb === "memory") return "can restart every instance";
  if (risk === "disruptive") return "may interrupt requests";
  if (verb === "scale") return "takes it offline";
  return verb === "domains" ? "removed domains stop working" : "removes something";
}
