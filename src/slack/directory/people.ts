import { WebAPIPlatformError, type WebClient } from "@slack/web-api";
import { z } from "zod";
import { UserError } from "../../errors.ts";
import type { Standing } from "../../policy/question.ts";
import { createMemo, type Memo } from "./memo.ts";
import { classify, isTemporary, reasonFor } from "../send/slack-error.ts";

export type Profile = { readonly userId: string; readonly name: string; readonly standing: Standing };

/** How old an answer of Slack may be, in milliseconds. */
export const freshness = { deciding: 10_000, reading: 60_000 } as const;

export type People = {
  /**
   * Throws a `UserError` when Slack does not tell: whoever cannot be checked may do nothing. `called` is how that sentence
   * names somebody who does not read it; whoever asks reads "who you are".
   */
  readonly profile: (userId: string, maxAgeMs: number, called?: string) => Promise<Profile>;
  /** Ids of the members of a user group; of one that is gone, none. Throws a `UserError` when Slack does not tell. */
  readonly groupMembers: (groupId: string, maxAgeMs: number) => Promise<ReadonlySet<string>>;
  /** The handles of the workspace's user groups by id, "oncall"; kept for minutes. Rejects when Slack does not tell. */
  readonly groupHandles: () => Promise<ReadonlyMap<string, string>>;
  /** Ids of the members of a conversation, the bot's among them; undefined where the bot is not in it. Throws a `UserError`. */
  readonly channelMembers: (channelId: string, maxAgeMs: number) => Promise<ReadonlySet<string> | undefined>;
  /** The bot's own user, name and workspace, as far as Slack has confirmed them. */
  readonly bot: Bot;
};

type Bot = () => { readonly userId: string | undefined; readonly name: string; readonly teamId: string | undefined };

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
  enterprise_user: z.object({ teams: z.array(z.string()).optional() }).optional(),
  profile: z.object({ real_name: z.string().optional() }).optional(),
});
type User = z.infer<typeof User>;

/** A Slack that is away does not lock people out of looking, for as long as this. */
const STALE_READ_MS = 60 * 60_000;
const HANDLES_MS = 10 * 60_000;
const SLACKBOT = "USLACKBOT";
const PAGE = 999;

type Parts = {
  readonly client: WebClient;
  /** The workspace of the bot; asks Slack again while that is not known. */
  readonly teamId: () => Promise<string | undefined>;
  readonly nowMs: () => number;
  readonly bot: Bot;
  /** Logs why a lookup failed, under a reference. */
  readonly failed: (lookup: { readonly method: string; readonly target: string }, cause: unknown) => string;
};

/** Who people are, as Slack tells it now; kept for seconds. */
export function createPeople(parts: Parts): People {
  const { client, nowMs } = parts;
  const profiles = createMemo((id: string) => readProfile(parts, id), nowMs);
  const groups = createMemo((id: string) => readGroup(client, id), nowMs);
  const handles = createMemo(() => readHandles(client), nowMs);
  const channels = createMemo((id: string) => readChannel(client, id), nowMs);
  return {
    profile: (userId, maxAgeMs, called) =>
      told(
        parts,
        {
          what: called === undefined ? "who you are" : `who ${called} is`,
          method: "users.info",
          target: userId,
        },
        () => profileOf(profiles, userId, maxAgeMs),
      ),
    groupMembers: (groupId, maxAgeMs) =>
      told(parts, { what: "who is in the user group", method: "usergroups.users.list", target: groupId }, () =>
        groups.get(groupId, maxAgeMs),
      ),
    groupHandles: () => handles.get("", HANDLES_MS),
    channelMembers: (channelId, maxAgeMs) =>
      told(parts, { what: "who is in the channel", method: "conversations.members", target: channelId }, () =>
        channels.get(channelId, maxAgeMs),
      ),
    bot: parts.bot,
  };
}

/** Slack can't answer right now. Callers that can wait ask again later. */
export class SlackAway extends UserError {}

type Lookup = { readonly what: string; readonly method: string; readonly target: string };

/** A failed lookup as a sentence with its real reason; the cause is in the log under the reference. */
async function told<Value>({ failed }: Parts, lookup: Lookup, ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (cause) {
    const { what, method, target } = lookup;
    const reference = failed({ method, target }, cause);
    const failure = classify(cause);
    const Kind = isTemporary(failure) ? SlackAway : UserError;
    const next = isTemporary(failure)
      ? `Try again in a minute; if it stays so, tell those who run Gantry here. Reference ${reference}.`
      : `The reason: ${reasonFor(failure)}. Tell those who run Gantry here. Reference ${reference}.`;
    const error = new Kind(`Slack did not tell ${what}, so nothing was done.`, { next });
    error.cause = cause;
    throw error;
  }
}

async function profileOf(memo: Memo<Profile>, userId: string, maxAgeMs: number): Promise<Profile> {
  try {
    return await memo.get(userId, maxAgeMs);
  } catch (error) {
    const stale = maxAgeMs === freshness.reading ? memo.stale(userId, STALE_READ_MS) : undefined;
    if (stale !== undefined) return stale;
    throw error;
  }
}

async function readProfile({ client, teamId }: Parts, userId: string): Promise<Profile> {
  const user = User.parse((await client.users.info({ user: userId })).user);
  const ours = await teamId();
  if (ours === undefined) throw new Error("the workspace of the bot is not known yet");
  const name = user.real_name ?? user.profile?.real_name ?? user.name ?? userId;
  return { userId, name, standing: standingOf(user, ours) };
}

function standingOf(user: User, teamId: string): Standing {
  if (user.deleted === true) return "deactivated";
  if (user.is_bot === true || user.id === SLACKBOT) return "bot";
  if (isOutsider(user, teamId)) return "outsider";
  return user.is_restricted === true || user.is_ultra_restricted === true ? "guest" : "member";
}

/** In an Enterprise Grid one person belongs to several workspaces of one organisation. */
function isOutsider(user: User, teamId: string): boolean {
  if (user.is_stranger === true || user.team_id === undefined) return true;
  if (user.team_id === teamId) return false;
  return user.enterprise_user?.teams?.includes(teamId) !== true;
}

async function readGroup(client: WebClient, groupId: string): Promise<ReadonlySet<string>> {
  try {
    return new Set((await client.usergroups.users.list({ usergroup: groupId })).users);
  } catch (error) {
    if (isOf(error, ["no_such_subteam"])) return new Set();
    throw error;
  }
}

async function readHandles(client: WebClient): Promise<ReadonlyMap<string, string>> {
  const { usergroups = [] } = await client.usergroups.list({});
  return new Map(usergroups.flatMap(({ id, handle }) => (id && handle ? [[id, handle] as const] : [])));
}

async function readChannel(client: WebClient, channelId: string): Promise<ReadonlySet<string> | undefined> {
  const members = new Set<string>();
  let cursor: string | undefined;
  try {
    do {
      const page = await client.conversations.members({ channel: channelId, limit: PAGE, ...(cursor && { cursor }) });
      for (const member of page.members ?? []) members.add(member);
      cursor = page.response_metadata?.next_cursor;
    } while (cursor !== undefined && cursor !== "");
  } catch (error) {
    // A private channel without the bot does not exist for it.
    if (isOf(error, ["channel_not_found", "not_in_channel"])) return undefined;
    throw error;
  }
  return members;
}

function isOf(error: unknown, codes: readonly string[]): boolean {
  return error instanceof WebAPIPlatformError && codes.includes(error.data.error);
}
