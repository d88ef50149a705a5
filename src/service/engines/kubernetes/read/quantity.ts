const factors: ReadonlyMap<string, number> = new Map([
  ["m", 1e-3],
  ["", 1],
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["T", 1e12],
  ["P", 1e15],
  ["E", 1e18],
  ["Ki", 2 ** 10],
  ["Mi", 2 ** 20],
  ["Gi", 2 ** 30],
  ["Ti", 2 ** 40],
  ["Pi", 2 ** 50],
  ["Ei", 2 ** 60],
]);

/**
 * A memory quantity in whole MiB, rounded up: `1Gi`, `128974848`, `129e6`, `500M`. A plain number is bytes here, unlike
 * in the workload API. Undefined for what is no quantity.
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function quantityMib(quantity: string | number): number | undefined {
  const form = /^\+?(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,3})|([A-Za-z]{0,2}))$/u;
  const [, digits, exponent, suffix = ""] = form.exec(String(quantity).trim()) ?? [];
  const factor = exponent === undefined ? factors.get(suffix) : 10 ** Number(exponent);
  if (digits === undefined || factor === undefined) return undefined;
  const mib = (Number(digits) * factor) / 2 ** 20;
  return Number.isFinite(mib) && mib > 0 ? Math.ceil(mib) : undefined;
}
