const MADE_AT = "created ";

/**
 * What tells a workload from its namesake made later: the `uid`, or the time of its creation for a service that tells
 * no `uid`. Undefined when neither is told.
 */
export function identityOf(uid: string | undefined, createdAt: string | undefined): string | undefined {
  if (uid !== undefined && uid !== "") return uid;
  return createdAt === undefined || createdAt === "" ? undefined : `${MADE_AT}${createdAt}`;
}

/** Whether these are certainly two workloads. What was told once by `uid` and once by time cannot be compared. */
export function isAnother(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined || one === other) return false;
  return one.startsWith(MADE_AT) === other.startsWith(MADE_AT);
}
