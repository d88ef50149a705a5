import { z } from "zod";
import { USUAL_AFTER_MS, usualEvents, watchedEvents } from "../../../watch/watch.ts";
import { type FormField, workloadField, tick } from "../../forms/form.ts";
import { missingName, isTime } from "../../grammar/argument-types.ts";
import { watchVerb } from "../../grammar/verb.ts";
import { After, Channel, Digest, Events, MUTE_MS, MuteEnd, Quiet, Watched } from "./watch-words.ts";

/** The workload is chosen, or named by a pattern, which no picker has. */
const nameFields: readonly FormField[] = [
  { ...workloadField, hint: "Or use a pattern below.", isOptional: true },
  {
    id: "pattern",
    label: "Pattern",
    hint: "All workloads with such a name: shop-*, or all.",
    isOptional: true,
    input: { kind: "text", maxLength: 100 },
  },
];

const placeFields: readonly FormField[] = [
  {
    id: "in",
    label: "Channel",
    hint: "Default: this one.",
    isMore: true,
    input: { kind: "channel" },
  },
  tick("dm", "Direct message", "Only for me, in my messages with Gantry"),
];

/** The two fields are one argument. */
function named<Raw extends Readonly<Record<string, unknown>>>({
  pattern,
  ...raw
}: Raw & { readonly pattern?: unknown }) {
  return pattern === undefined || "name" in raw ? raw : { ...raw, name: pattern };
}

const Place = { in: Channel.optional(), dm: z.boolean().default(false) };
type Place = { readonly in?: string | undefined; readonly dm: boolean };

function placeOf({ in: channelId, dm }: Place) {
  if (channelId !== undefined) return { channelId };
  return dm ? ("dm" as const) : ("here" as const); // literal places
}

function refuseBoth({ in: channelId, dm }: Place, context: z.core.$RefinementCtx): void {
  if (channelId === undefined || !dm) return;
  context.addIssue({ code: "custom", path: ["dm"], message: "Use --in or --dm, not both." });
}

/** " for 30m", " until 18:00". */
function forWords(typed: string): string {
  return /^\d+[a-z]/iu.test(typed) ? ` for ${typed}` : ` ${typed}`;
}

const placeFlags = {
  in: { value: "#CHANNEL", summary: "in another channel" },
  dm: { summary: "in a direct message to you alone" },
};

/** Of a word after the name, without `--digest`. */
function oneTooMany(typed: unknown): string {
  if (isTime(String(typed))) return "A time belongs to --digest: --digest weekdays 09:00.";
  return 'watch takes one workload. Watch each one, or all with such a name: "shop-*".';
}

export const watch = watchVerb({
  name: "watch",
  summary: "Tell this channel when a workload fails and recovers",
  usage:
    'watch [NAME | "shop-*" | all] [--on failing,recovered] [--in #channel | --dm] [--after 2m] [--quiet 22:00-07:00] [--digest weekdays 09:00] [--region R]',
  example: "watch web --on failing,recovered,deployed",
  near: ["notify", "alert", "alarm", "monitor", "subscribe", "follow", "observe"],
  phrases: [
    ["whenever NAME [is] (bad|broke|up|down|good|back|recovers|running|STATUS) [goes]", "watch NAME"],
    ["whenever NAME [is] (changed|history|deployed)", "watch NAME --on deployed,changed"],
    ["whenever NAME [is] finished", "watch NAME --on job-failed,job-done"],
    ["watch NAME", "watch NAME"],
    ["watch all [it]", "watch all"],
    ["[show|get|give] [daily|every] [day|morning] digest", "watch all --digest daily"],
  ],
  question: { amount: ({ digest }) => (typeof digest === "string" ? `: digest ${digest}` : "") },
  button: "Tell me here",
  words: { name: "[NAME]", time: "[HH:MM]" },
  flags: {
    on: { value: "EVENTS", summary: `which events to post: ${watchedEvents.join(", ")}, or all` },
    ...placeFlags,
    after: { value: "2m", summary: "post failures that last this long" },
    quiet: { value: "22:00-07:00", summary: "hold posts until these hours are over" },
    digest: { value: "DAYS", summary: "one summary instead: daily, weekdays or mondays, and a time" },
  },
  args: z
    .object({
      name: Watched.optional(),
      on: Events.optional(),
      ...Place,
      after: After.optional(),
      quiet: Quiet.optional(),
      digest: Digest.optional(),
      time: z.undefined({ error: ({ input }) => oneTooMany(input) }).optional(),
    })
    .superRefine((args, context) => {
      refuseBoth(args, context);
      const other = (["on", "after", "quiet"] as const).find((flag) => args[flag] !== undefined); // names of flags
      if (args.digest !== undefined && other !== undefined) {
        const message = `--digest is one summary, so it takes no --${other}. Ask for single messages in a second \`watch\`.`;
        context.addIssue({ code: "custom", path: [other], message });
      }
      if (args.name !== undefined || args.digest !== undefined) return;
      context.addIssue({ code: "custom", path: ["name"], message: missingName });
    }),
  // A digest has a time, which is a word of its own.
  read(typed, { name, time, ...args }) {
    const digest = typed.one("digest");
    const [first, second] = typed.positionals;
    if (digest === undefined) return { ...args, name, time };
    const isAll = second === undefined && first !== undefined && isTime(first);
    const at = isAll ? first : second;
    return { ...args, ...(!isAll && { name }), digest: at === undefined ? digest : `${digest} ${at}` };
  },
  form: {
    title: "Watch",
    submit: "Watch",
    fields: () => [
      ...nameFields,
      {
        id: "on",
        label: "Tell of",
        hint: `Default: ${usualEvents.join(", ")}.`,
        input: { kind: "choices", options: watchedEvents.map((value) => ({ value, text: value })) },
      },
      {
        id: "after",
        label: "Only if it fails for",
        hint: "Default: 2m. 0 tells at once.",
        isMore: true,
        input: { kind: "text", maxLength: 20 },
      },
      ...placeFields,
      {
        id: "quiet",
        label: "Quiet hours",
        hint: "News waits until they are over.",
        placeholder: "For example: 22:00-07:00",
        isMore: true,
        input: { kind: "text", maxLength: 40 },
      },
      {
        id: "digest",
        label: "Digest",
        hint: "One summary at this time, instead of single messages.",
        placeholder: "For example: weekdays 09:00",
        isMore: true,
        input: { kind: "text", maxLength: 40 },
      },
    ],
    toArgs: named,
  },
  wish({ name, on, after, quiet, digest, ...place }) {
    return {
      kind: "watch",
      target: name ?? { kind: undefined, name: "*" },
      place: placeOf(place),
      // A digest is instead of single messages.
      events: on ?? (digest === undefined ? usualEvents : []),
      afterMs: after ?? USUAL_AFTER_MS,
      quiet,
      digest,
    };
  },
});

export const unwatch = watchVerb({
  name: "unwatch",
  summary: "Stop watching a workload",
  usage: 'unwatch NAME | "shop-*" | all [--digest] [--in #channel | --dm] [--region R]',
  example: "unwatch web",
  aliases: ["stop watching"],
  near: ["unsubscribe"],
  phrases: [
    ["(stop|quit) watch NAME|(stop|quit) (alerting|telling|messaging|pinging|bothering|spamming) NAME", "unwatch NAME"],
  ],
  question: { label: "Stop watching" },
  words: { name: "NAME" },
  flags: { digest: { summary: "end only the digest" }, ...placeFlags },
  args: z.object({ name: Watched, digest: z.boolean().default(false), ...Place }).superRefine(refuseBoth),
  form: {
    title: "Stop watching",
    submit: "Stop",
    fields: () => [...nameFields, tick("digest", "Digest", "End only the digest"), ...placeFields],
    toArgs: named,
  },
  wish: ({ name, digest, ...place }) => ({ kind: "unwatch", target: name, place: placeOf(place), isDigest: digest }),
});

export const mute = watchVerb({
  name: "mute",
  summary: "Pause alerts for a workload",
  usage: 'mute NAME | "shop-*" | all [2h | until 18:00 | until 2026-12-01 | off] [--in #channel | --dm]',
  example: "mute web 2h",
  near: ["silence", "snooze", "quiet"],
  phrases: [
    ["mute [alerts] NAME|(stop|pause|disable|turn off) alerts NAME", "mute NAME SINCE UNTIL"],
    ["mute [all] alerts|mute all|(stop|pause|disable) (all|get) alerts", "mute all SINCE UNTIL"],
  ],
  question: {
    amount: ({ until }) => (Array.isArray(until) && until.length > 0 ? forWords(until.join(" ")) : " for 1 hour"),
  },
  words: { name: "NAME", until: "FOR…" },
  flags: {
    for: { value: "TIME", summary: "how long or until when, such as 2h or 18:00", also: ["until"] },
    ...placeFlags,
  },
  args: z.object({ name: Watched, until: MuteEnd.optional(), ...Place }).superRefine(refuseBoth),
  read(_typed, { until, for: flag, ...args }) {
    const words = [until, flag].flatMap((each) => each ?? []);
    return { ...args, ...(words.length > 0 && { until: words }) };
  },
  form: {
    title: "Mute",
    submit: "Mute",
    fields: () => [
      ...nameFields,
      {
        id: "until",
        label: "For",
        hint: "Default: 1h. Or until 18:00, until monday, a day such as 2026-12-01, or off.",
        input: { kind: "command", maxLength: 40 },
      },
      ...placeFields,
    ],
    toArgs: named,
  },
  wish: ({ name, until = { forMs: MUTE_MS }, ...place }) => ({
    kind: "mute",
    target: name,
    place: placeOf(place),
    until,
  }),
});

export const unmute = watchVerb({
  name: "unmute",
  summary: "Resume alerts for a muted workload",
  usage: 'unmute NAME | "shop-*" | all [--in #channel | --dm]',
  example: "unmute web",
  near: ["unsilence", "unsnooze"],
  phrases: [
    ["unmute NAME|delete mute [NAME]", "unmute NAME"],
    ["unmute all", "unmute all"],
  ],
  words: { name: "NAME" },
  flags: placeFlags,
  args: z.object({ name: Watched, ...Place }).superRefine(refuseBoth),
  form: { title: "Unmute", submit: "Unmute", fields: () => [...nameFields, ...placeFields], toArgs: named },
  wish: ({ name, ...place }) => ({ kind: "mute", target: name, place: placeOf(place), until: "off" }),
});
