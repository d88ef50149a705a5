import type { Entry } from "./directory.ts";

type Known = { readonly services: readonly Entry[]; readonly jobs: readonly Entry[] };

/** Characters of names. A match next to one of them is part of another name. */
const PART = /[\p{L}\p{N}._-]/u;

/**
 * The workload that a text names, as `service/web`, or undefined. Pure. The longest name wins, because `web-shop`
 * contains `web`. If a service and a job share the name, it is the service, unless the text contains "job".
 */
export function workloadInText(text: string, { services, jobs }: Known): string | undefined {
  const lower = text.toLowerCase();
  const all = [
    ...services.map(({ name }) => ({ kind: "service", name })),
    ...jobs.map(({ name }) => ({ kind: "job", name })),
  ].filter(({ name }) => containsName(lower, name.toLowerCase()));
  const length = Math.max(...all.map(({ name }) => name.length));
  const longest = all.filter(({ name }) => name.length === length);
  const wanted = /\bjob\b/u.test(lower) ? "job" : "service";
  const found = longest.find(({ kind }) => kind === wanted) ?? longest[0];
  return found === undefined ? undefined : `${found.kind}/${found.name}`;
}

/** True when the text contains the whole name; a full stop after it ends a sentence. */
function containsName(text: string, name: string): boolean {
  if (name === "") return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text.slice(at + name.length).replace(/^[.]+(?=\s|$)/u, "");
    if (!PART.test(before) && !PART.test(after[0] ?? " ")) return true;
  }
  return false;
}
