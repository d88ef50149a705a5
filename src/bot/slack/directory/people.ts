import { WebAPIPlatformError } from "@slack/web-api";
import { SlackAway, UserError } from "../../errors.ts";
import type { People } from "../../workflow/ports.ts";
import { type Classified, classify, isTemporary, reasonFor } from "../send/slack-error.ts";
import { createGroups } from "./groups.ts";
import { createMemo, type Pace } from "./lookups.ts";
import { createProfiles, type ProfilesParts } from "./profiles.ts";

/** https://docs.slack.dev/reference/methods/conversations.members: the limit must be under 1,000. */
const PAGE = 999;
/** 25 calls, a quarter of the method's rate tier. */
const MOST_PAGES = 25;

type Parts = ProfilesParts & {
  readonly pace: Pace;
  readonly bot: People["bot"];
  /** Logs why a lookup failed, and gives the reference. */
  readonly failed: (lookup: { readonly method: string; readonly target: string }, cause: unknown) => string;
};

/** People, groups and channels as Slack knows them. Who is in what is cached for seconds. */
export function createPeople(parts: Parts): People {
  const { clock } = parts;
  const profiles = createProfiles(parts);
  const channels = createMemo((id: string) => readChannel(parts, id), clock);
  const groups = createGroups(parts);
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
    const isUnseen =
      error instanceof WebAPIPlatformError && ["channel_not_found", "not_in_channel"].includes(error.data.error);
    if (isUnseen) return undefined;
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
