/** Statuses that a workload API may well answer with; others count by their hundred. */
const usual: ReadonlySet<string> = new Set(
  [200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 429, 500, 501, 502, 503, 504].map(String),
);

const words: ReadonlySet<string> = new Set(
  (
    "ok failed closed uninvited gone uneditable superseded content ours token scope limited temporary unsure unknown " +
    "unreachable timeout unexpected aborted invalid"
  ).split(" "),
);

export function statusLabel(status: string): string {
  if (usual.has(status) || words.has(status)) return status;
  return /^[1-5]\d\d$/u.test(status) ? `${status[0]}xx` : "other";
}
