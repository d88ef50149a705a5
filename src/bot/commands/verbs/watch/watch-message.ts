import type { Ask } from "../../../ask.ts";
import { durationText } from "../../../policy/policy-words.ts";
import { muteButton, runButton } from "../../../views/kit/ask-buttons.ts";
import { actions, type Block, context, type Line, section } from "../../../views/kit/blocks.ts";
import { channel, type Inline, joined, moment, strong, words } from "../../../views/kit/inline.ts";
import { type Post, postOf } from "../../../views/kit/post.ts";
import { span } from "../../../views/kit/time.ts";
import type {
  DigestTime,
  Mute,
  Watch,
  WatchedEvent,
  WatchNews,
  WatchPlace,
  WatchTarget,
} from "../../../watch/watch.ts";

const eventWords: Readonly<Record<WatchedEvent, string>> = {
  failing: "failing",
  recovered: "recovered",
  "job-failed": "job failed",
  "job-done": "job done",
  restarts: "restarts",
  "out-of-memory": "out of memory",
  deployed: "deployed",
  changed: "changed",
};

const digestWords: Readonly<Record<DigestTime["days"], string>> = {
  daily: "every day",
  weekdays: "on weekdays",
  mondays: "on Mondays",
};

/** "failing for 2 minutes, recovered · quiet 22:00–07:00 (Europe/Berlin)". For history and lists. */
export function termsText({
  events,
  afterMs,
  quiet,
  digest,
}: Pick<Watch, "events" | "afterMs" | "quiet" | "digest">): string {
  const wanted = events.map((event) =>
    event === "failing" && afterMs > 0 ? `${eventWords[event]} for ${afterText(afterMs)}` : eventWords[event],
  );
  return [
    ...(digest === undefined ? [] : [`digest ${digestWords[digest.days]} at ${digest.at} (${digest.zone})`]),
    ...(wanted.length === 0 ? [] : [wanted.join(", ")]),
    ...(quiet === undefined ? [] : [`quiet ${quiet.from}–${quiet.to} (${quiet.zone})`]),
  ].join(" · ");
}

/** Whole minutes as policy words them; `90s` in seconds. */
function afterText(ms: number): string {
  return ms % 60_000 === 0 ? durationText(ms) : span(ms);
}

/** "all workloads", "services named *shop-\**", "*web*". */
export function targetWords({ kind, names }: Pick<WatchTarget, "kind" | "names">): Inline[] {
  const many = kind === undefined ? "workloads" : `${kind}s`;
  if (names === "*") return [words(`all ${many}`)];
  if (names.includes("*")) return [words(`${many} named `), strong(names, 100)];
  return kind === "job" ? [words("job "), strong(names, 100)] : [strong(names, 100)];
}

/** As people type it after a verb. */
export function typedTarget({ kind, names }: Pick<WatchTarget, "kind" | "names">): string {
  if (names === "*" && kind === undefined) return "all";
  return kind === undefined ? names : `${kind}/${names}`;
}

/** The Ask that ends a watch, from any place. */
export function unwatchAsk({ target, place, digest }: Pick<Watch, "target" | "place" | "digest">): Ask {
  const where = place.kind === "dm" ? { dm: true } : { in: place.channelId };
  const region = target.kind === "job" ? {} : { region: target.region };
  return {
    verb: "unwatch",
    ...region,
    share: false,
    args: { name: typedTarget(target), ...(digest && { digest: true }), ...where },
  };
}

type Common = { readonly by: string; readonly place: WatchPlace; readonly defaultRegion: string };

/** Another watch in the same place that includes this workload. */
type Still = Pick<WatchTarget, "kind" | "names"> | undefined;

export type WatchMessage = Common &
  (
    | {
        readonly kind: "watched" | "same";
        readonly watch: Pick<Watch, "target" | "place" | "events" | "afterMs" | "quiet" | "digest">;
        /** Of a digest. */
        readonly next: Date | undefined;
      }
    | {
        readonly kind: "ended";
        readonly watches: readonly Pick<Watch, "target" | "digest">[];
        /** What the place still gets about the same workloads. */
        readonly goesOn: "digest" | "single messages" | undefined;
        readonly still: Still;
        readonly command: string;
      }
    | {
        readonly kind: "nothing";
        readonly target: Pick<WatchTarget, "kind" | "names">;
        /** The watch is in the file of watches. */
        readonly isFile: boolean;
        readonly still: Still;
        readonly command: string;
      }
    | {
        readonly kind: "muted";
        readonly mute: Pick<Mute, "names" | "until">;
        /** That nothing has this name now. */
        readonly doubt: string | undefined;
      }
    | { readonly kind: "unmuted" | "not-muted"; readonly names: string }
  );

/** What is told from now on, for the place where it is told and for whoever asked. */
export function watchMessage(message: WatchMessage): Post {
  switch (message.kind) {
    case "watched":
    case "same":
      return watched(message);
    case "ended":
      return ended(message);
    case "nothing":
      return nothing(message);
    case "muted": {
      const { mute, place, doubt } = message;
      const until = [...inPlace(place, ""), moment(mute.until.toISOString(), " until ")];
      return postOf([
        section([words("🔕 You muted "), ...muted(mute), ...until]),
        ...(doubt === undefined ? [] : [section([words(`⚠️ ${doubt}`, 300)])]),
        ...actions(muteButton("Unmute", { names: mute.names, until: "off", place })),
      ]);
    }
    case "unmuted":
      return postOf([section([words("🔔 You unmuted "), ...muted(message), ...inPlace(message.place, ".")])]);
    case "not-muted":
      return postOf([section([...muted(message), words(" isn't muted here. Nothing to do.")])]);
  }
}

function muted({ names }: { readonly names: string }): Inline[] {
  return targetWords({ kind: undefined, names });
}

const did = {
  watched: ["🔔", "watches"],
  ended: ["🔕", "stopped watching"],
} as const; // the literal keys
export type WatchDeed = keyof typeof did;

/** What somebody did, for a place that may not read the names. It has no buttons, because they contain them. */
export function unnamedWatchMessage(
  { kind, by, place }: Pick<Common, "by" | "place"> & { readonly kind: WatchDeed },
  target: Pick<WatchTarget, "names">,
): Post {
  return postOf([section([deedWords(kind, by), hiddenWords(target), ...inPlace(place, ".")])]);
}

/** "🔕 Dana Reyes stopped watching ". */
function deedWords(kind: WatchDeed, by: string): Inline {
  const [sign, verb] = did[kind];
  return words(`${sign} ${by} ${verb} `, 120);
}

function hiddenWords({ names }: Pick<WatchTarget, "names">): Inline {
  return words(names.includes("*") ? "hidden workloads" : "a hidden workload");
}

/** For the person who asked, when the channel hasn't got the message: it is archived, say, or only some people may post there. */
export function sentToAsker(message: Post, there: { readonly channelId: string; readonly isWatch: boolean }): Post {
  const later = there.isWatch ? " If I can't post there later either, you get a direct message." : "";
  const [first, ...others] = message.blocks;
  const note = section([words("⚠️ I haven't posted this in "), channel(there.channelId), words(` yet.${later}`)]);
  return postOf([...(first === undefined ? [] : [first]), note, ...others]);
}

function ended(message: Extract<WatchMessage, { readonly kind: "ended" }>): Post {
  const { by, watches, goesOn, still, command, place } = message;
  const isDigest = watches.every(({ digest }) => digest !== undefined);
  const [one] = watches;
  const others: Readonly<Record<"digest" | "single messages", string>> = {
    digest: `The digest goes on: \`${command} unwatch ${one === undefined ? "NAME" : typedTarget(one.target)} --digest\` ends it.`,
    "single messages": "Single messages go on.",
  };
  return postOf([
    section([
      words("🔕 "),
      words(by, 80),
      words(isDigest ? " ended the digest about " : " stopped watching "),
      ...joined(watches.slice(0, 5).flatMap(({ target }) => targetWords(target))),
      ...inPlace(place, "."),
    ]),
    ...(goesOn === undefined ? [] : [section(others[goesOn])]),
    ...(still === undefined || one === undefined ? [] : stillWatched(one.target, still, place)),
  ]);
}

type Watched = Extract<WatchMessage, { readonly watch: unknown }>;

function watched({ kind, watch, place, by, defaultRegion, next }: Watched): Post {
  const { target } = watch;
  const isElsewhere = target.kind !== "job" && target.region !== defaultRegion;
  const what = [...targetWords(target), ...(isElsewhere ? [words(` in ${target.region}`, 80)] : [])];
  const verbs = { watched: " watches ", same: " already watches " }[kind];
  const who =
    place.kind === "dm"
      ? [words(`🔔 You${verbs.replace("watches", "watch")}`)]
      : [words("🔔 "), channel(place.channelId), words(verbs)];
  const head: Line = [...who, ...what, words(kind === "same" ? ". Nothing to do." : ".")];
  const due: Line[] =
    next === undefined
      ? []
      : [[moment(next.toISOString(), "Next digest: "), words(". Silent when there is nothing to say.")]];
  return postOf([
    section(head, `Posts: ${termsText(watch)}`, ...due),
    ...(place.kind === "dm" || kind === "same" ? [] : [context(`Set up by ${by}`)]),
    ...actions(runButton("Stop watching", unwatchAsk({ target, place, digest: watch.digest }), { at: 0 })),
  ]);
}

/** A workload whose watch ended is still watched through a pattern that includes it. */
function stillWatched(
  target: Pick<WatchTarget, "kind" | "names">,
  still: NonNullable<Still>,
  place: WatchPlace,
): Block[] {
  const who = place.kind === "dm" ? [words("You watch ")] : [channel(place.channelId), words(" watches ")];
  return [
    section([
      ...who,
      ...targetWords(still),
      words(", so I still post about "),
      ...targetWords(target),
      words(" here."),
    ]),
    ...actions(muteButton("Mute 1 h", { names: target.names, until: "1h", place })),
  ];
}

function nothing({ target, isFile, still, place, command }: Extract<WatchMessage, { readonly kind: "nothing" }>): Post {
  const list = `All watches here: \`${command} watches\``;
  if (isFile) {
    return postOf([
      section(
        [words("The watch of "), ...targetWords(target), words(" is in the file of watches. Nothing was changed.")],
        "Remove it there, or ask your Gantry admin to.",
      ),
    ]);
  }
  if (still !== undefined) {
    const end = `To end that watch: \`${command} unwatch ${typedTarget(still)}\``;
    return postOf([section("Nothing was changed."), ...stillWatched(target, still, place), section(end)]);
  }
  const where = place.kind === "dm" ? [words("You don't watch ")] : [words("Nobody watches ")];
  return postOf([section([...where, ...targetWords(target), ...inPlace(place, ". Nothing to do.")], list)]);
}

/** " in #ops."; nothing in a direct message. */
function inPlace(place: WatchPlace, end: string): Inline[] {
  const last = end === "" ? [] : [words(end)];
  return place.kind === "dm" ? last : [words(" in "), channel(place.channelId), ...last];
}

/** A watch that nobody ended (its owner left, or may no longer see it), or one of the file whose owner may see it again. */
export function watchNewsMessage(
  { target, owner, place, source, why }: WatchNews,
  { isAgain, isNamed }: { readonly isAgain: boolean; readonly isNamed: boolean },
): Post {
  const again = isAgain ? [context("Sent again: you may have it already.")] : [];
  const [you, others] = why === undefined ? ["You watch ", "watches "] : ["You no longer watch ", "no longer watches "];
  const whose = place.kind === "dm" ? you : `${owner.name} ${others}`;
  const what = isNamed ? targetWords(target) : [hiddenWords(target)];
  const head = [words(`${why === undefined ? "🔔" : "🔕"} ${whose}`, 120), ...what];
  if (why === undefined) return postOf([section([...head, words(" again.")]), ...again]);
  const later = source === "file" ? ["It is in the file of watches, and goes on once that is fixed."] : [];
  return postOf([section([...head, words(`: ${why}.`)], ...later), ...again]);
}
