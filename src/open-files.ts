/** How many files this process may open; undefined when Node doesn't report it. Node raises the soft limit to the hard one. */
export function openFileLimit(): number | undefined {
  // With network facts, the report could look up the name of every peer. Node's types lack the property.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as ReportWithLimits; // https://nodejs.org/api/report.html
  Object.assign(process.report, { excludeNetwork: false });
  const soft = userLimits?.open_files?.soft;
  if (soft === "unlimited") return Number.POSITIVE_INFINITY;
  return typeof soft === "number" ? soft : undefined;
}

type ReportWithLimits = { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } };
