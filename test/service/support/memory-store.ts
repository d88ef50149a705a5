import type { ServiceLogEntry } from "../../../src/api/schema.ts";
import { Refusal, type User } from "../../../src/service/engine.ts";
import type { CheckContainer } from "../../../src/service/workloads/definitions.ts";

/** The images that the engine in memory knows. */
export const images = {
  web: "test/web",
  lines: "test/lines",
  failing: "test/failing",
  lasting: "test/lasting",
} as const;

export const checkImage: CheckContainer = ({ image }) => {
  if (!Object.values<string>(images).includes(image)) throw new Refusal(400, `unknown image ${image}`);
};

export type Place = { readonly region: string; readonly name: string };

/** The workloads of every user, by place and name. */
export function makeStore<T>() {
  const items = new Map<string, T>();
  const keyOf = ({ username }: User, { region, name }: Place) => [username, region, name].join("/");
  return {
    all: () => [...items.values()],
    of: ({ username }: User, region: string) =>
      [...items].filter(([key]) => key.startsWith(`${username}/${region}/`)).map(([, item]) => item),
    find(user: User, place: Place): T {
      const item = items.get(keyOf(user, place));
      if (item === undefined) throw new Refusal(404, `there is nothing named ${place.name}`);
      return item;
    },
    refuseTwin(user: User, place: Place): void {
      if (items.has(keyOf(user, place))) throw new Refusal(409, `the name ${place.name} is taken`);
    },
    add: (user: User, place: Place, item: T) => void items.set(keyOf(user, place), item),
    remove: (user: User, place: Place) => void items.delete(keyOf(user, place)),
  };
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
