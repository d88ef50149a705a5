import { WebAPIPlatformError, type WebClient } from "@slack/web-api";
import { z } from "zod";
import { SlackAway, UserError } from "../../errors.ts";
import type { Standing } from "../../policy/question.ts";
import { type People, type Profile, freshness } from "../../workflow/ports.ts";
import { type Classified, classify, isTemporary, reasonFor } from "../send/slack-error.ts";
import { createGroups } from "./groups.ts";
import { createMemo, type Memo } from "./memo.ts";
import type { Pace } from "./pace.ts";

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
  enterprise_user: z.object({ teams: z.array(z.string()).optional() }).optional(),
  profile: z.object({ real_name: z.string().optional() }).optional(),
});
type User = z.infer<typeof User>;

/** While Slack is down, people can read with an older profile. */
const STALE_READ_MS = 60 * 60_000;
const SLACKBOT = "USLACKBOT";
/** https://docs.slack.dev/reference/methods/conversations.members: the limit must be under 1,000. */
const PAGE = 999;
/** 25 calls, a quarter of the method's rate tier. */
const MOST_PAGES = 25;

type Parts = {
  readonly client: WebClient;
  /** The workspace of the bot; asks Slack again while that is not known. */
  readonly teamId: () => Promise<string | undefined>;
  readonly nowMs: () => number;
  readonly pace: Pace;
  readonly bot: People["bot"];
  /** Logs why a lookup failed, and gives the reference. */
  readonly failed: (lookup: { readonly method: string; readonly target: string }, cause: unknown) => string;
};

/** People, groups and channels as Slack knows them now; cached for seconds. */
export function createPeople(parts: Parts): People {
  const { nowMs } = parts;
  const profiles = createMemo((id: string) => readProfile(parts, id), nowMs);
  const channels = createMemo((id: string) => readChannel(parts, id), nowMs);
  const groups = createGroups(parts);
  return {
    profile(userId, maxAgeMs, called) {
      const what = called === undefined ? "your Slack profile" : `the Slack profile of ${called}`;
      return answered(parts, { what, method: "users.info", target: userId }, () =>
        profileOf(profiles, userId, maxAgeMs),
      );
    },
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
  };
}

type Lookup = { readonly what: string; readonly method: string; readonly target: string };

/** A failed lookup becomes a sentence with its real reason; the cause is in the log under the reference. */
async function answered<Value>({ failed }: Parts, lookup: Lookup, ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const { method, target } = lookup;
    const error = lookupError(lookup.what, classify(cause), failed({ method, target }, cause));
    error.cause = cause;
    throw error;
  }
}

function lookupError(what: string, failure: Classified, reference: string): UserError {
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
  return new UserError(sentence, {
    next: `Contact your Gantry admin. Reference \`${reference}\``,
  });
}

async function profileOf(memo: Memo<Profile>, userId: string, maxAgeMs: number): Promise<Profile> {
  try {
    return await memo.get(userId, maxAgeMs);
  } catch (error) {
    const stale = maxAgeMs === freshness.reading ? memo.known(userId, STALE_READ_MS) : undefined;
    if (stale !== undefined) return stale;
    throw error;
  }
}

async function readProfile({ client, teamId, pace }: Parts, userId: string): Promise<Profile> {
  const user = User.parse((await pace("users.info", () => client.users.info({ user: userId }))).user);
  const ours = await teamId();
  if (ours === undefined) throw new Error("the bot's workspace isn't known yet");
  const name = user.real_name ?? user.profile?.real_name ?? user.name ?? userId;
  const standing = standingOf(user, ours);
  return { userId, name, standing, isAdmin: standing === "member" && isAdmin(user) };
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

async function readChannel(parts: Parts, channelId: string): Promise<ReadonlySet<string> | undefined> {
  const { client, pace } = parts;
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
    if (isOf(error, ["channel_not_found", "not_in_channel"])) return undefined;
    throw error;
  }
  // With a partial list, members would be taken for strangers.
  throw new UserError(
    `This channel has more than ${MOST_PAGES * PAGE} members, too many to look up. Nothing was changed.`,
    {
      next: "Request it in a smaller channel.",
    },
  );
}

function isOf(error: unknown, codes: readonly string[]): boolean {
  return error instanceof WebAPIPlatformError && codes.includes(error.data.error);
}
