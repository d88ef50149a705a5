import type { WatchedEvent } from "../../src/bot/watch/watch.ts";
import type { NewWatch } from "../../src/bot/workflow/stored.ts";
import { event } from "../bot/store/contract/bench.ts";
import { world, type World, type WorldOptions } from "./world.ts";

const dana = { userId: "U0DANA", name: "Dana" };

/** A town whose workload API tells what the story says, and in which Dana watches. */
export type WatchedTown = World & {
  /** What the API says of a service from now on; undefined deletes it. */
  readonly service: World["service"];
  readonly is: (name: string, fields: object | undefined) => void;
  readonly isJob: (name: string, fields: object | undefined) => void;
  /** The list calls of the bot so far. */
  readonly lists: () => number;
  /** Whether it answers each call with 503, or with another status. */
  readonly setAway: (isAway: boolean | number) => void;
  /** Dana watches, or the owner who is named, and Gantry will look. */
  readonly adds: (names: string, other?: Partial<NewWatch>) => Promise<void>;
  /** The same, as with `/gantry watch`, and Gantry has looked. */
  readonly watches: (names: string, other?: Partial<NewWatch>) => Promise<void>;
  /** Time passes, and the bot looks and tells. */
  readonly passes: (minutes: number) => Promise<void>;
  /** Nobody looks for a while, as when Gantry is down. */
  readonly sleeps: (minutes: number) => Promise<void>;
  /** What everybody sees in a channel: first the messages, with what is in their threads. */
  readonly told: (channel?: string) => readonly string[];
};

export const crashing = {
  status: "Running",
  ready_instances: 0,
  restarts: { count: 4, first_at: "2026-11-26T10:00:00Z", last_at: "2026-11-26T10:01:00Z" },
  restart_count: 4,
  last_state: { reason: "Error", exit_code: 3 },
  message: "exited with code 3",
};
export const well = { status: "Running", ready_instances: 1, restart_count: 0 };

/** Nothing fails at first. */
export async function watchedTown(options: Omit<WorldOptions, "engine" | "apiFetch"> = {}): Promise<WatchedTown> {
  const services = new Map<string, object>();
  const jobs = new Map<string, object>();
  const uids = new Map<string, string>();
  const metadataOf = (name: string): object => ({ name, ...(uids.has(name) && { uid: uids.get(name) }) });
  let isAway: boolean | number = false;
  let lists = 0;
  const town = await world({
    ...options,
    async apiFetch(request) {
      if (isAway !== false) return new Response("", { status: isAway === true ? 503 : isAway });
      const { pathname } = new URL(request.url);
      if (request.method === "POST" && pathname.includes("/jobs/")) {
        const name = pathname.split("/").at(-1) ?? "";
        uids.set(name, `uid-${uids.size + 1}`);
        jobs.set(name, { status: { active: 1, startTime: "2026-11-26T10:00:00Z" } });
        return Response.json({ metadata: metadataOf(name) });
      }
      if (pathname.endsWith("/services")) {
        lists += 1;
        const all = [...services].map(([name, fields]) => {
          return { name, target_instance_size: 1, ...fields, instance_names: undefined };
        });
        return Response.json({ services: pathname.includes("beijing1") ? all : [] });
      }
      if (pathname.endsWith("/jobs")) {
        lists += 1;
        return Response.json({ jobs: [...jobs].map(([name, fields]) => ({ metadata: metadataOf(name), ...fields })) });
      }
      if (pathname.endsWith("/logs")) {
        return Response.json([
          { instance_name: "web-2", log: "Error: no settings" },
          { instance_name: "web-1", log: "Error: lost the database password=hunter2trout" },
        ]);
      }
      const [, restarted = ""] = /\/services\/([^/]+)\/restart$/u.exec(pathname) ?? [];
      if (services.has(restarted)) return Response.json({ name: restarted, ...services.get(restarted) });
      const [, kind, name = ""] = /\/(services|jobs)\/([^/]+)$/u.exec(pathname) ?? [];
      const found = (kind === "jobs" ? jobs : services).get(name);
      if (found !== undefined) {
        return Response.json(
          kind === "jobs" ? { metadata: metadataOf(name), ...found } : { name, target_instance_size: 1, ...found },
        );
      }
      return Response.json({ message: "no such thing" }, { status: 404 });
    },
  });
  let watches = 0;
  /** A round tells first what it saw, and then redraws the cards that had to wait for it. */
  const afterRound = async (): Promise<void> => {
    await town.sweep();
    await town.sweep();
  };
  const look = async (): Promise<void> => {
    await town.sweep();
    await afterRound();
  };
  const adds = async (names: string, other: Partial<NewWatch> = {}): Promise<void> => {
    const watch: NewWatch = {
      id: `w${(watches += 1)}`,
      teamId: "T0PLAYGR",
      owner: dana,
      source: "person",
      account: { owner: { kind: "workspace" }, username: "gantry" },
      target: { kind: undefined, names, region: "beijing1" },
      place: { kind: "channel", channelId: "C0OPS" },
      events: ["failing", "recovered", "job-failed"] satisfies WatchedEvent[],
      afterMs: 120_000,
      quiet: undefined,
      digest: undefined,
      ...other,
    };
    await town.store().addWatch(watch, { perOwner: 99, perPlace: 99 }, event("watched", { teamId: "T0PLAYGR" }));
  };
  return {
    ...town,
    adds,
    is: (name, fields) => void (fields === undefined ? services.delete(name) : services.set(name, fields)),
    isJob: (name, fields) => void (fields === undefined ? jobs.delete(name) : jobs.set(name, fields)),
    lists: () => lists,
    setAway: (away) => void (isAway = away),
    async watches(names, other) {
      await adds(names, other);
      await look();
    },
    async passes(minutes) {
      for (let passed = 0; passed < minutes; passed += 1) {
        town.passMinutes(1);
        await town.sweep();
      }
      await afterRound();
    },
    async sleeps(minutes) {
      town.passMinutes(minutes);
      await look();
    },
    told: (channel = "ops") =>
      town.developer
        .sees(channel)
        .map(({ text, threadTs, ts }) => `${threadTs !== undefined && threadTs !== ts ? "↳ " : ""}${text}`),
  };
}
