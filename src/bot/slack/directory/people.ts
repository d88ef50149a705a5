import { WebAPIPlatformError, type WebClient } from "@slack/web-api";
import type { Clock } from "../../../platform/clock.ts";
import { newReference } from "../../../platform/log.ts";
import { SlackAway, UserError } from "../../errors.ts";
import type { People } from "../../workflow/ports.ts";
import { createBackOff, logFailure } from "../send/call.ts";
import { classify, isTemporary, reasonFor, type SlackFailure } from "../send/slack-error.ts";
import { createMemo, createPace, type Pace } from "./lookups.ts";
import { createProfiles, type ProfilesParts } from "./profiles.ts";

/** https://docs.slack.dev/reference/methods/conversations.members: the limit must be under 1,000. */
const PAGE = 999;
/** 25 calls, a quarter of the method's rate tier. */
const MOST_PAGES = 25;

type Parts = ProfilesParts & Pick<People, "bot">;

/** People, groups and channels as Slack knows them. Who is in what is cached for seconds. */
export function createPeople(parts: Parts): People {
  const { client, clock, wait } = parts;
  const pace = createPace({ wait, backOff: createBackOff(clock) });
  const profiles = createProfiles(parts);
  const channels = createMemo((id: string) => readChannel({ client, pace }, id), clock);
  const groups = createGroups({ client, clock, pace });
  return {
    profile(userId, maxAgeMs, called) {
      const what = called === undefined ? "your Slack profile" : `the Slack profile of ${called}`;
      return answered(parts, { what, method: "users.info", target: userId }, () => profiles.get(userId, maxAgeMs));
    },
    someProfiles: profiles.someProfiles,
    profileChanged: profiles.profileChanged,
    groupMembers(groupId, maxAgeMs) {
      const lookup = { what: "the members of the user group", method: "usergroups.users.list", target: groupId };
      return answered(parts, lookup, () => groups.members(groupId, maxAgeMs));
    },
    groupHandles: groups.handles,
    channelMembers(channelId, maxAgeMs) {
      const lookup = { what: "the members of this channel", method: "conversations.members", target: channelId };
      return answered(parts, lookup, () => channels.get(channelId, maxAgeMs));
    },
    bot: parts.bot,
    nowMs: () => clock.now().getTime(),
  };
}

type Lookup = { readonly what: string; readonly method: string; readonly target: string };

/** A failed lookup becomes a sentence with its real reason; the cause is in the log under the reference. */
async function answered<Value>(
  { log }: Parts,
  { what, method, target }: Lookup,
  ask: () => Promise<Value>,
): Promise<Value> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const failure = { method, target, ...classify(cause), reference: newReference() };
    logFailure(log, failure);
    const error = lookupError(what, failure);
    error.cause = cause;
    throw error;
  }
}

function lookupError(what: string, failure: SlackFailure): UserError {
  const { reference } = failure;
  if (failure.kind === "limited") {
    const seconds = Math.max(1, Math.ceil((failure.retryAfterMs ?? 60_000) / 1_000));
    return new SlackAway(`Couldn't read ${what}: Slack's rate limit is reached. Nothing was changed.`, {
      next: `Try again in ${seconds} s. Reference \`${reference}\``,
    });
  }
  const sentence = `Couldn't read ${what}: ${reasonFor(failure)}. Nothing was changed.`;
  if (isTemporary(failure)) {
    return new SlackAway(sentence, {
      next: `Try again in a minute. If this keeps happening, contact your Gantry admin. Reference \`${reference}\``,
    });
  }
  return new UserError(sentence, { next: `Contact your Gantry admin. Reference \`${reference}\`` });
}

type Reading = { readonly client: WebClient; readonly pace: Pace };

async function readChannel({ client, pace }: Reading, channelId: string): Promise<ReadonlySet<string> | undefined> {
  const members = new Set<string>();
  let cursor: string | undefined;
  try {
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const asked = { channel: channelId, limit: PAGE, ...(cursor && { cursor }) };
      const page = await pace("conversations.members", () => client.conversations.members(asked));
      for (const member of page.members ?? []) members.add(member);
      cursor = page.response_metadata?.next_cursor;
      if (cursor === undefined || cursor === "") return members;
    }
  } catch (error) {
    // For Slack, a private channel without the bot doesn't exist.
    const isUnseen =
      error instanceof WebAPIPlatformError && ["channel_not_found", "not_in_channel"].includes(error.data.error);
    if (isUnseen) return undefined;
    throw error;
  }
  // With a partial list, members would be taken for strangers.
  throw new UserError(
    `This channel has more than ${MOST_PAGES * PAGE} members, too many to look up. Nothing was changed.`,
    { next: "Request it in a smaller channel." },
  );
}

const HANDLES_MS = 10 * 60_000;
const MINUTE_MS = 60_000;
/**
 * `usergroups.users.list` allows about 20 calls a minute for all replicas together. Beyond this many, one call of
 * `usergroups.list` reads the members of all groups: it is larger, but one call serves every rule.
 */
const MOST_SINGLE_READS = 8;

function createGroups({ client, clock, pace }: Reading & { readonly clock: Pick<Clock, "now"> }) {
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
    /** Ids of a group's members; none for a group that was deleted. Rejects as the Web API client does. */
    async members(groupId: string, maxAgeMs: number): Promise<ReadonlySet<string>> {
      const known = single.known(groupId, maxAgeMs) ?? all.known("", maxAgeMs)?.get(groupId);
      if (known !== undefined) return known;
      const isShared = single.isReading(groupId, maxAgeMs);
      if (isShared || (!all.isReading("", maxAgeMs) && mayReadSingle())) return single.get(groupId, maxAgeMs);
      return (await all.get("", maxAgeMs)).get(groupId) ?? new Set();
    },
    /** Handles by group id, "oncall". */
    handles: (): Promise<ReadonlyMap<string, string>> => handles.get("", HANDLES_MS),
  };
}

async function readGroup(client: WebClient, groupId: string): Promise<ReadonlySet<string>> {
  try {
    return new Set((await client.usergroups.users.list({ usergroup: groupId })).users);
  } catch (error) {
    if (error instanceof WebAPIPlatformError && error.data.error === "no_such_subteam") return new Set();
    throw error;
  }
}
