import { memoryMiB } from "../../../src/api/memory.ts";
import type { NewJobContainer, NewServiceContainer, ServiceLogEntry } from "../../../src/api/schema.ts";
import { Refusal, type User } from "../../../src/service/engine.ts";

/** The images that the engine in memory knows. */
export const images = {
  web: "test/web",
  lines: "test/lines",
  failing: "test/failing",
  lasting: "test/lasting",
} as const;

/** The workloads of every user, by place and name. */
export type Store<T> = Map<string, T>;
export type Place = { readonly region: string; readonly name: string };

export function keyOf({ username }: User, { region, name }: Place): string {
  return [username, region, name].join("/");
}

export function found<T>(store: Store<T>, user: User, place: Place): T {
  const item = store.get(keyOf(user, place));
  if (item === undefined) throw new Refusal(404, `there is nothing named ${place.name}`);
  return item;
}

export function refuseTwin<T>(store: Store<T>, user: User, place: Place): void {
  if (store.has(keyOf(user, place))) throw new Refusal(409, `the name ${place.name} is taken`);
}

export function ofUser<T>(store: Store<T>, { username }: User, region: string): T[] {
  return [...store].filter(([key]) => key.startsWith(`${username}/${region}/`)).map(([, item]) => item);
}

type Body = { readonly containers: readonly (NewJobContainer | NewServiceContainer)[] };

/** What only an engine can check of a creation body. */
export function checkBody({ containers }: Body): void {
  for (const { image } of containers) {
    if (!Object.values<string>(images).includes(image)) throw new Refusal(400, `unknown image ${image}`);
  }
}

export type Line = { readonly instance: string; readonly text: string };

/** One page, counted from the newest line, oldest first; all lines are of today. */
export function pageOf(
  lines: readonly Line[],
  query: { date?: string; from?: number; size?: number } | undefined,
  now: Date,
) {
  const { date, from = 0, size = 100 } = query ?? {};
  const today = now.toISOString().slice(0, 10).replaceAll("-", ".");
  if (date !== undefined && date !== today) return [];
  const end = Math.max(lines.length - from, 0);
  return lines.slice(Math.max(end - size, 0), end);
}

export function entryOf({ instance, text }: Line): ServiceLogEntry {
  return { instance_name: instance, log: text };
}

export function mib(memory: string | number): string {
  return String(memoryMiB(memory));
}
