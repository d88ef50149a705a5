import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { boundedMap } from "../../../platform/bounded-map.ts";
import type { Clock } from "../../../platform/clock.ts";
import { z } from "zod";
import { isZone } from "../../../platform/zones.ts";
import { within } from "../../../platform/waiting.ts";
import { StoreError } from "../../errors.ts";
import type { Standing } from "../../policy/policy.ts";
import type { WorkspaceStore } from "../../store/store.ts";
import { freshness, type People } from "../../workflow/ports.ts";
import type { Profile } from "../../workflow/stored.ts";
import { createUserReader, type Seen } from "./user-reader.ts";

/** https://docs.slack.dev/reference/objects/user-object */
const User = z.object({
  id: z.string(),
  team_id: z.string().optional(),
  name: z.string().optional(),
  real_name: z.string().optional(),
  deleted: z.boolean().optional(),
  is_bot: z.boolean().optional(),
  is_stranger: z.boolean().optional(),
  is_restricted: z.boolean().optional(),
  is_ultra_restricted: z.boolean().optional(),
  is_admin: z.boolean().optional(),
  is_owner: z.boolean().optional(),
  tz: z.string().nullish().catch(undefined),
  enterprise_user: z.object({ teams: z.array(z.string()).optional() }).optional(),
  profile: z.object({ real_name: z.string().optional() }).optional(),
});
type User = z.infer<typeof User>;

const SLACKBOT = "USLACKBOT";

export type ProfilesParts = {
  readonly client: WebClient;
  /** The workspace of the bot; asks Slack again while that is not known. */
  readonly teamId: () => Promise<string | undefined>;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly wait: (ms: number) => Promise<void>;
  readonly store: Pick<WorkspaceStore, "profilesOf" | "saveProfiles" | "forgetProfile">;
  readonly log: Logger;
};

/** As `People` has them, but rejecting as the Web API client does. */
export type Profiles = Pick<People, "profileChanged" | "someProfiles"> & {
  readonly get: (userId: string, maxAgeMs: number) => Promise<Profile>;
};

type Kept = {
  readonly profile: Profile;
  /** When Slack said so. */
  readonly atMs: number;
  /** Last read of the database: another replica may have stored something newer. */
  readonly checkedMs: number;
  /** False of people on a page of everybody: they are stored when somebody needs them. */
  readonly isStored: boolean;
};

const MOST_KEPT = 5_000;
const CHECK_EVERY_MS = 60_000;
/** A person waits, and the database only saves a call. */
const STORE_WITHIN_MS = 500;
/** Of what couldn't be stored. */
const MOST_UNSAVED = 1_000;

/** Of `someProfiles`: how many ids are looked at, and how many calls that may take. */
const MOST_IDS = 1_000;
const FIRST_CALLS = 3;
const LIST_FROM = 10;
const PAGES = 3;
const MORE_CALLS = 7;

/** People's profiles in memory, in the database for all replicas, and at Slack. */
export function createProfiles(parts: ProfilesParts): Profiles {
  const { clock, store, log, teamId } = parts;
  const nowMs = (): number => clock.now().getTime();
  const soon = <Value>(work: () => Promise<Value>): Promise<Value | undefined> => inTime(parts, work);
  const reader = createUserReader({ ...parts, onPage: (seen) => keepPage(seen) });
  const kept = boundedMap<string, Kept>(MOST_KEPT);
  const unsaved = boundedMap<string, StoredAt>(MOST_UNSAVED);

  let ours: string | undefined;
  const ourTeam = async (): Promise<string> => {
    ours ??= await teamId();
    if (ours === undefined) throw new Error("the bot's workspace isn't known yet");
    return ours;
  };

  const keep = (profile: Profile, atMs: number, isStored = true): Profile => {
    const known = kept.get(profile.userId);
    if (known !== undefined && known.atMs > atMs) {
      kept.set(profile.userId, { ...known, checkedMs: nowMs() });
      return known.profile;
    }
    kept.set(profile.userId, { profile, atMs, checkedMs: nowMs(), isStored });
    return profile;
  };

  const inMemory = (userId: string, sinceMs: number): Kept | undefined => {
    const known = kept.get(userId);
    const isRecent = known !== undefined && known.atMs > sinceMs && nowMs() - known.checkedMs < CHECK_EVERY_MS;
    return isRecent ? known : undefined;
  };

  const save = async (team: string, rows: readonly StoredAt[]): Promise<void> => {
    const all = [...unsaved.values(), ...rows];
    const aged = all.map(({ atMs, ...row }) => ({ ...row, ageMs: Math.max(0, nowMs() - atMs) }));
    const isSaved = await soon(async () => {
      await store.saveProfiles(team, aged);
      return true;
    });
    if (isSaved === true) {
      for (const { userId, atMs } of all) if (unsaved.get(userId)?.atMs === atMs) unsaved.delete(userId);
    }
  };

  /** What memory or the database knows. A database that is away or slow knows nothing. */
  const known = async (ids: readonly string[], maxAgeMs: number): Promise<Map<string, Profile>> => {
    const sinceMs = nowMs() - maxAgeMs;
    const found = new Map<string, Profile>();
    const rest: string[] = [];
    const unstored: Kept[] = [];
    for (const id of ids) {
      const here = inMemory(id, sinceMs);
      if (here === undefined) rest.push(id);
      else found.set(id, here.profile);
      if (here?.isStored === false) unstored.push(here);
    }
    if (rest.length === 0 && unstored.length === 0) return found;
    const team = await ourTeam();
    if (unstored.length > 0) {
      await save(
        team,
        unstored.map(({ profile, atMs }) => ({ ...profile, atMs })),
      );
      for (const each of unstored) kept.set(each.profile.userId, { ...each, isStored: true });
    }
    if (rest.length === 0) return found;
    const rows = (await soon(() => store.profilesOf(team, rest))) ?? [];
    for (const { ageMs, ...profile } of rows) {
      if (ageMs < maxAgeMs) found.set(profile.userId, keep(profile, nowMs() - ageMs));
    }
    // A page of everybody may have come meanwhile.
    for (const id of rest) {
      const here = found.has(id) ? undefined : inMemory(id, sinceMs);
      if (here !== undefined) found.set(id, here.profile);
    }
    return found;
  };

  /** Of a page of everybody. The next ones of many may be on it. */
  const keepPage = (seen: readonly Seen[]): void => {
    if (ours === undefined) return;
    for (const { user, atMs } of seen) {
      const parsed = User.safeParse(user).data;
      if (parsed !== undefined) keep(profileOf(parsed, ours), atMs, false);
    }
  };

  const keepAndSave = async (
    seen: readonly { readonly user: User; readonly atMs: number }[],
  ): Promise<readonly Profile[]> => {
    const team = await ourTeam();
    const read = seen.map(({ user, atMs }) => ({ ...profileOf(user, team), atMs }));
    const profiles = read.map(({ atMs, ...profile }) => keep(profile, atMs));
    if (read.length > 0) await save(team, read);
    return profiles;
  };

  const readNow = async (userId: string): Promise<readonly Profile[]> => {
    const { user, atMs } = await reader.readNow(userId);
    return keepAndSave([{ user: User.parse(user), atMs }]);
  };

  return {
    async get(userId, maxAgeMs) {
      const sinceMs = nowMs() - maxAgeMs;
      const profile = (await known([userId], maxAgeMs)).get(userId);
      if (profile !== undefined) return profile;
      const { user, atMs } = await reader.read(userId, sinceMs, maxAgeMs < freshness.profile);
      const [read] = await keepAndSave([{ user: User.parse(user), atMs }]);
      if (read === undefined) throw new Error("a profile that was read is missing");
      return read;
    },
    async someProfiles(all, isEnough) {
      const ids = all.slice(0, MOST_IDS);
      const found = new Map<string, Profile>();
      const isOver = (): boolean => isEnough([...found.values()]);
      const missing = (): readonly string[] => ids.filter((id) => !found.has(id));
      const add = (profiles: readonly Profile[]): void => {
        for (const profile of profiles) found.set(profile.userId, profile);
      };
      const ask = async (most: number): Promise<void> => {
        for (const id of missing().slice(0, most)) {
          if (isOver()) return;
          add(await readNow(id));
        }
      };
      try {
        add([...(await known(ids, freshness.profile)).values()]);
        await ask(FIRST_CALLS);
        let cursor: string | undefined;
        for (let pages = 0; pages < PAGES && !isOver() && missing().length >= LIST_FROM; pages += 1) {
          const wanted = new Set(missing());
          const { seen, next } = await reader.page(cursor);
          const users = seen.flatMap(({ user, atMs }) => {
            const { data } = User.safeParse(user);
            return data !== undefined && wanted.has(data.id) ? [{ user: data, atMs }] : [];
          });
          add(await keepAndSave(users));
          cursor = next;
          if (cursor === undefined) break;
        }
        await ask(MORE_CALLS);
      } catch (err) {
        log.info({ err, missing: missing().length }, "some profiles could not be read; what is known is used");
      }
      return found;
    },
    async profileChanged(body, { isLate, isNew }) {
      const user = User.parse(body);
      const team = await ourTeam();
      const { id } = user;
      // What it says may be older than what was read since.
      if (isLate) {
        kept.delete(id);
        await store.forgetProfile(team, id);
        return;
      }
      const profile = profileOf(user, team);
      const atMs = nowMs();
      // Nothing is kept about people who have nothing to do with Gantry; who joins probably will.
      const rows = isNew || kept.has(id) ? undefined : await soon(() => store.profilesOf(team, [id]));
      if (rows?.length === 0) return;
      keep(profile, atMs);
      unsaved.set(id, { ...profile, atMs });
      await save(team, []);
    },
  };
}

type StoredAt = Profile & { readonly atMs: number };

/** Undefined when the database is away, or slower than asking Slack. */
async function inTime<Value>(
  { log, clock }: Pick<ProfilesParts, "log" | "clock">,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  const done = work().catch((err: unknown) => {
    if (!(err instanceof StoreError)) log.error({ err }, "profiles in the database could not be used");
    return undefined;
  });
  return within(STORE_WITHIN_MS, done, () => undefined, clock);
}

function profileOf(user: User, teamId: string): Profile {
  const name = user.real_name ?? user.profile?.real_name ?? user.name ?? user.id;
  const standing = standingOf(user, teamId);
  const zone = typeof user.tz === "string" && isZone(user.tz) ? user.tz : undefined;
  return { userId: user.id, name, standing, isAdmin: standing === "member" && isAdmin(user), zone };
}

function standingOf(user: User, teamId: string): Standing {
  if (user.deleted === true) return "deactivated";
  if (user.is_bot === true || user.id === SLACKBOT) return "bot";
  if (isOutsider(user, teamId)) return "outsider";
  return user.is_restricted === true || user.is_ultra_restricted === true ? "guest" : "member";
}

/** Slack's flags are about the person's own workspace, so they count for its members only. */
function isAdmin(user: User): boolean {
  return user.is_admin === true || user.is_owner === true;
}

/** In an Enterprise Grid one person belongs to several workspaces of one organization. */
function isOutsider(user: User, teamId: string): boolean {
  if (user.is_stranger === true || user.team_id === undefined) return true;
  if (user.team_id === teamId) return false;
  return user.enterprise_user?.teams?.includes(teamId) !== true;
}
