/** Whether something is so. `unknown` must open nothing: what would open does not match, what would refuse does. */
export type Match = "yes" | "no" | "unknown";

export function matchOf(isSo: boolean | "unknown"): Match {
  if (isSo === "unknown") return "unknown";
  return isSo ? "yes" : "no";
}

/** All of them are so; of none: yes. */
export function allOf(matches: readonly Match[]): Match {
  if (matches.includes("no")) return "no";
  return matches.includes("unknown") ? "unknown" : "yes";
}

/** At least one of them is so; of none: no. */
export function anyOf(matches: readonly Match[]): Match {
  if (matches.includes("yes")) return "yes";
  return matches.includes("unknown") ? "unknown" : "no";
}
