import { z } from "zod";
import { typedMemory } from "../../api/memory.ts";
import { isImagePattern } from "./patterns.ts";
import { isActionId, operationFacts } from "./operation-facts.ts";
import type { RuleActions } from "./policy.ts";
import { didYouMean } from "./near-names.ts";

// Only ids: names can be changed by their owners. Slack's ids have no fixed length; at least five characters, so that
// “SRE” isn't taken for one.
const userId = /^[UW][A-Z0-9]{4,}$/u;
const groupId = /^S[A-Z0-9]{4,}$/u;
const channelId = /^[CG][A-Z0-9]{4,}$/u;

const standings = ["members", "guests", "outsiders", "everyone"] as const;
const places = ["dm", "channels"] as const;
const actionWords = ["read", "routine", "disruptive", "destructive", "anything"] as const;

const findPerson =
  "Use the ID, because names can change. For a person: profile, ⋮, Copy member ID (starts with U or W). For a user group: ⋮ next to its name, Copy group ID (starts with S).";
const findChannel =
  "Use the ID, because names can change. It is at the end of the channel's details in Slack, and starts with C or G.";

/** The error for a value that isn't text: YAML reads `- #ops` as null and digits as a number. */
export const notText = ({ input }: { readonly input?: unknown }): string => {
  if (input === undefined) return "This is missing.";
  if (input !== null) return "This must be text. Put it in quotes.";
  return "This is empty. In YAML, # starts a comment. Use IDs such as C0123ABCD instead of Slack names.";
};

/** Text that is valid when `problem` returns nothing. */
function word(problem: (text: string) => string | undefined) {
  return z.string({ error: notText }).superRefine((text, context) => {
    const sentence = problem(text);
    if (sentence !== undefined) context.addIssue(sentence);
  });
}

export const WhoWord = word((text) =>
  isOneOf(standings, text) || userId.test(text) || groupId.test(text)
    ? undefined
    : `“${text}” isn't a valid person or group. ${hint(text, standings, findPerson)}`,
);

export const ApproverWord = word((text) =>
  text === "channel-members" || userId.test(text) || groupId.test(text)
    ? undefined
    : `“${text}” isn't a valid approver. ${hint(text, ["channel-members"], findPerson)}`,
);

export const WhereWord = word((text) =>
  isOneOf(places, text) || channelId.test(text)
    ? undefined
    : `“${text}” isn't a valid place. ${hint(text, places, findChannel)}`,
);

export const ChannelId = word((text) =>
  channelId.test(text) ? undefined : `“${text}” isn't a channel ID. ${findChannel}`,
);

export const ActionWord = z.string({ error: notText }).transform((text, context): RuleActions => {
  if (isOneOf(actionWords, text) || isActionId(text)) return text;
  const known = [...actionWords, ...Object.keys(operationFacts)];
  context.addIssue(
    `“${text}” isn't a valid action.${didYouMean(text, known)} Use ${actionWords.join(", ")}, an operation such as deleteService, deploy, watch or bindChannel.`,
  );
  return z.NEVER;
});

/** A pattern of names, regions or accounts. */
export const Pattern = word((text) =>
  text.trim() === "" ? "This is empty. Use a name, or a pattern such as shop-*." : undefined,
);

export const ImagePattern = word((text) =>
  isImagePattern(text)
    ? undefined
    : `“${text}” isn't an image or a pattern of images. Write one such as nginx, nginx:1.*, shop/* or registry.example.com/shop/*.`,
);

/** `512`, `512Mi` or `4Gi`, in MiB. */
export const MemoryLimit = z
  .union([z.string(), z.number()], { error: "This must be a size, such as 512Mi or 4Gi." })
  .transform((given, context): number => {
    const size = typedMemory(String(given));
    if ("mib" in size) return size.mib;
    context.addIssue(size.problem);
    return z.NEVER;
  });

export const isUserId = (text: string): boolean => userId.test(text);
export const isGroupId = (text: string): boolean => groupId.test(text);

/** Suggests a similar word, or explains how to find an id. */
function hint(typed: string, known: readonly string[], find: string): string {
  const near = didYouMean(typed, known);
  return near === "" ? `${find} Or use ${known.join(", ")}.` : near.trim();
}

function isOneOf<Known extends string>(known: readonly Known[], text: string): text is Known {
  return known.some((each) => each === text);
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 30 * 86_400_000;
const error = "This must be a duration from 1m to 30d, such as 30m, 2h or 1d.";

/** `30m`, `2h`, `1d`; in milliseconds. */
export const Duration = z.string({ error }).transform((text, context): number => {
  const [, digits = "", unit = ""] = /^(\d{1,5}) ?([mhd])$/u.exec(text.trim()) ?? [];
  const ms = Number(digits) * (unitMs[unit] ?? 0);
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  context.addIssue(error);
  return z.NEVER;
});

/** 5400000 → "90 minutes": the largest unit without a remainder. */
export function durationText(ms: number): string {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ] as const;
  const [unit, each] = units.find(([, size]) => ms % size === 0) ?? ["minute", 60_000];
  const count = Math.round(ms / each);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
