import type { Entry } from "./directory.ts";

type Known = { readonly services: readonly Entry[]; readonly jobs: readonly Entry[] };

/** What may stand in a name: a name that goes on beside these is another one. */
const PART = /[\p{L}\p{N}._-]/u;

/**
 * The workload that a text speaks of, as `service/web`; undefined where it names none. Pure. The longest name wins, since
 * `web` stands in `web-shop`; of a name that a service and a job have, it is the service, unless the text says job.
 */
export function workloadInText(text: string, { services, jobs }: Known): string | undefined {
  const lower = text.toLowerCase();
  const all = [
    ...services.map(({ name }) => ({ kind: "service", name })),
    ...jobs.map(({ name }) => ({ kind: "job", name })),
  ].filter(({ name }) => stands(lower, name.toLowerCase()));
  const length = Math.max(...all.map(({ name }) => name.length));
  const longest = all.filter(({ name }) => name.length === length);
  const wanted = /\bjob\b/u.test(lower) ? "job" : "service";
  const found = longest.find(({ kind }) => kind === wanted) ?? longest[0];
  return found === undefined ? undefined : `${found.kind}/${found.name}`;
}

/** Whether the name stands in the text by itself; a full stop after it ends a sentence. */
function stands(text: string, name: string): boolean {
  if (name === "") return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text.slice(at + name.length).replace(/^[.]+(?=\s|$)/u, "");
    if (!PART.test(before) && !PART.test(after[0] ?? " ")) return true;
  }
  return false;
}
