import { z } from "zod";
import { didYouMean } from "./near-names.ts";
import { isDeedId, operationFacts } from "./operation-facts.ts";
import type { Deeds } from "./rule.ts";

// Ids only, because names can be changed by those they name. Slack gives ids no fixed length; five characters keep “SRE”
// from being taken for one.
const userId = /^[UW][A-Z0-9]{4,}$/u;
const groupId = /^S[A-Z0-9]{4,}$/u;
const channelId = /^[CG][A-Z0-9]{4,}$/u;

const standings = ["members", "guests", "outsiders", "everyone"] as const;
const places = ["dm", "channels"] as const;
const deeds = ["read", "routine", "disruptive", "destructive", "anything"] as const;

const findPerson =
  "Write the id instead, because a name can be changed: open the person's profile in Slack, ⋮, Copy member ID (it begins with U or W); of a user group, ⋮ beside its name, Copy group ID (it begins with S).";
const findChannel =
  "Write the id instead, because a name can be changed: it stands at the end of the channel's details in Slack, and begins with C or G.";

/** What was written where text belongs. YAML makes null of `- #ops`, and numbers of digits. */
export const notText = ({ input }: { readonly input?: unknown }): string => {
  if (input === undefined) return "This is missing.";
  if (input !== null) return "This must be text: put it in quotes, and write no list or map here.";
  return "This is empty. In YAML a # begins a comment; Slack's names are not taken here anyway, only ids such as C0123ABCD.";
};

/** Text for which `problem` has no sentence. */
function word(problem: (text: string) => string | undefined) {
  return z.string({ error: notText }).superRefine((text, context) => {
    const sentence = problem(text);
    if (sentence !== undefined) context.addIssue(sentence);
  });
}

export const WhoWord = word((text) =>
  isOneOf(standings, text) || userId.test(text) || groupId.test(text)
    ? undefined
    : `“${text}” is nobody that a rule knows. ${hint(text, standings, findPerson)}`,
);

export const ApproverWord = word((text) =>
  text === "channel-members" || userId.test(text) || groupId.test(text)
    ? undefined
    : `“${text}” is nobody who can approve. ${hint(text, ["channel-members"], findPerson)}`,
);

export const WhereWord = word((text) =>
  isOneOf(places, text) || channelId.test(text)
    ? undefined
    : `“${text}” is no place that a rule knows. ${hint(text, places, findChannel)}`,
);

export const ChannelId = word((text) =>
  channelId.test(text) ? undefined : `“${text}” is not the id of a channel. ${findChannel}`,
);

export const DeedWord = z.string({ error: notText }).transform((text, context): Deeds => {
  if (isOneOf(deeds, text) || isDeedId(text)) return text;
  const known = [...deeds, ...Object.keys(operationFacts)];
  context.addIssue(
    `“${text}” is nothing that a rule can speak of.${didYouMean(text, known)} Write one of ${deeds.join(", ")}, an operation such as deleteService, or bindChannel.`,
  );
  return z.NEVER;
});

/** A pattern of names, regions or accounts. */
export const Pattern = word((text) =>
  text.trim() === "" ? "This is empty: write a name, or a pattern such as shop-*." : undefined,
);

export const isUserId = (text: string): boolean => userId.test(text);
export const isGroupId = (text: string): boolean => groupId.test(text);

/** A near word first; how to find an id for what looks like a handle or a name. */
function hint(typed: string, known: readonly string[], find: string): string {
  const near = didYouMean(typed, known);
  return near === "" ? `${find} Or write ${known.join(", ")}.` : near.trim();
}

function isOneOf<Known extends string>(known: readonly Known[], text: string): text is Known {
  return known.some((each) => each === text);
}
