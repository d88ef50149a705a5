import type { Fetch } from "./world-service.ts";

export type Line = { readonly instance_name: string; readonly log: string };

/** The lines of each day, oldest first. */
type Days = Readonly<Record<string, readonly Line[]>>;

/** A workload API with these services and their logs; other names are unknown. */
export function servedLogs(logs: Readonly<Record<string, Days>>, service: object = {}): Fetch {
  const services = Object.keys(logs).map((name) => ({ name, status: "Running", ...service }));
  return async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname.endsWith("/services")) return Response.json({ region: "beijing1", services });
    if (pathname.endsWith("/jobs")) return Response.json({ jobs: [] });
    const [, name = "", rest] = /\/services\/([^/]+)(\/logs)?$/u.exec(pathname) ?? [];
    const days = logs[name];
    if (days === undefined) return Response.json({ message: "no such thing" }, { status: 404 });
    if (rest === undefined) return Response.json({ name, status: "Running", ...service });
    const lines = days[searchParams.get("date") ?? ""] ?? [];
    const end = Math.max(0, lines.length - Number(searchParams.get("from")));
    return Response.json(lines.slice(Math.max(0, end - Number(searchParams.get("size"))), end));
  };
}

/** Of two instances in turn: `line 1.`, `line 2.`, … */
export function numberedLines(from: number, to: number, text: (at: number) => string = (at) => `line ${at}.`): Line[] {
  return Array.from({ length: to - from + 1 }, (_, at) => ({ instance_name: `web-${at % 2}`, log: text(from + at) }));
}

/** The numbers of such lines in a text. */
export function numbersIn(text: string): number[] {
  return [...text.matchAll(/\bline (\d+)\./gu)].map(([, number]) => Number(number));
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
