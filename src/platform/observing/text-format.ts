/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

/** Whether an `Accept` header prefers the text format to OpenMetrics, which everybody else gets. Pure. */
export function prefersText(accept: string | null): boolean {
  const ranges = (accept ?? "").toLowerCase().split(",").map(rangeOf);
  // The most specific range counts: `text/plain;q=0, */*` refuses text.
  const weightOf = (...names: readonly string[]): number => {
    const named = names.map((name) => ranges.filter((range) => range.name === name)).find(({ length }) => length > 0);
    return Math.max(0, ...(named ?? []).map(({ weight }) => weight));
  };
  const text = weightOf("text/plain", "text/*", "*/*");
  return text > weightOf("application/openmetrics-text", "application/*", "*/*");
}

function rangeOf(text: string): { readonly name: string; readonly weight: number } {
  const [name = "", ...parameters] = text.split(";").map((each) => each.trim());
  const [, weight = "1"] =
    parameters.map((each) => /^q\s*=\s*([\d.]+)$/u.exec(each)).find((found) => found !== null) ?? [];
  return { name, weight: Number(weight) };
}

/**
 * OpenMetrics as the text format: there the name of a counter ends in `_total` also where it is described, and nothing
 * marks the end. prom-client can't write both: for OpenMetrics it renames its counters for good. Pure.
 */
export function asText(openMetrics: string): string {
  const counters = new Set(Array.from(openMetrics.matchAll(/^# TYPE (\S+) counter$/gmu), ([, name]) => name));
  return openMetrics
    .replace(/^# EOF\n/mu, "")
    .replaceAll(/^# (?:HELP|TYPE) (\S+)/gmu, (line, name: string) => (counters.has(name) ? `${line}_total` : line));
}
