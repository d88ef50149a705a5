/**
 * Orders two resource versions of one kind: negative if `a` is older. Undefined if they can't be ordered. Versions are
 * decimal numbers that grow with each change of the cluster, in every API server so far and by contract since 1.35
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions); anything else is only equal or not.
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!isNumber(a) || !isNumber(b)) return undefined;
  return a.length === b.length ? (a < b ? -1 : 1) : a.length - b.length;
}

function isNumber(version: string): boolean {
  return /^(?:0|[1-9]\d*)$/u.test(version);
}

/** Whether `a` is known to be newer than `b`. */
export function isNewer(a: string, b: string): boolean {
  return (compareVersions(a, b) ?? 0) > 0;
}
