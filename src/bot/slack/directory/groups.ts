import { WebAPIPlatformError, type WebClient } from "@slack/web-api";
import type { Clock } from "../../../platform/clock.ts";
import { createMemo, type Pace } from "./lookups.ts";

export type Groups = {
  /** Ids of a group's members; none for a group that was deleted. Rejects as the Web API client does. */
  readonly members: (groupId: string, maxAgeMs: number) => Promise<ReadonlySet<string>>;
  /** Handles by group id, "oncall". */
  readonly handles: () => Promise<ReadonlyMap<string, string>>;
};

type Parts = { readonly client: WebClient; readonly clock: Pick<Clock, "now">; readonly pace: Pace };

type Members = ReadonlySet<string>;

const HANDLES_MS = 10 * 60_000;
const MINUTE_MS = 60_000;
/**
 * `usergroups.users.list` allows about 20 calls a minute for all replicas together. Beyond this many, one call of
 * `usergroups.list` reads the members of all groups: it is larger, but one call serves every rule.
 */
const MOST_SINGLE_READS = 8;

export function createGroups({ client, clock, pace }: Parts): Groups {
  const single = createMemo((id: string) => pace("usergroups.users.list", () => readGroup(client, id)), clock);
  // https://docs.slack.dev/reference/methods/usergroups.list
  const all = createMemo(async () => {
    const { usergroups = [] } = await pace("usergroups.list", () => client.usergroups.list({ include_users: true }));
    return new Map(usergroups.flatMap(({ id, users = [] }) => (id ? [[id, new Set(users)] as const] : [])));
  }, clock);
  const handles = createMemo(async () => {
    const { usergroups = [] } = await pace("usergroups.list", () => client.usergroups.list({}));
    return new Map(usergroups.flatMap(({ id, handle }) => (id && handle ? [[id, handle] as const] : [])));
  }, clock);
  let singleReads: readonly number[] = [];
  const mayReadSingle = (): boolean => {
    const now = clock.now().getTime();
    singleReads = singleReads.filter((at) => at <= now && now - at < MINUTE_MS);
    if (singleReads.length >= MOST_SINGLE_READS) return false;
    singleReads = [...singleReads, now];
    return true;
  };
  return {
    async members(groupId, maxAgeMs) {
      const known = single.known(groupId, maxAgeMs) ?? all.known("", maxAgeMs)?.get(groupId);
      if (known !== undefined) return known;
      const isShared = single.isReading(groupId, maxAgeMs);
      if (isShared || (!all.isReading("", maxAgeMs) && mayReadSingle())) return single.get(groupId, maxAgeMs);
      return (await all.get("", maxAgeMs)).get(groupId) ?? new Set();
    },
    handles: () => handles.get("", HANDLES_MS),
  };
}

async function readGroup(client: WebClient, groupId: string): Promise<Members> {
  try {
    return new Set((await client.usergroups.users.list({ usergroup: groupId })).users);
  } catch (error) {
    if (error instanceof WebAPIPlatformError && error.data.error === "no_such_subteam") return new Set();
    throw error;
  }
}
