import { z } from "zod";
import { runButton } from "../../../views/kit/ask-buttons.ts";
import { actions, type Block, context, header, section } from "../../../views/kit/blocks.ts";
import { channel, type Inline, moment, words } from "../../../views/kit/inline.ts";
import { type Message, postOf } from "../../../views/kit/post.ts";
import { counted } from "../../../views/kit/text.ts";
import { shortSpan } from "../../../views/kit/time.ts";
import type { LastPoll, Mute, Watch } from "../../../watch/watch.ts";
import type { VerbContext, Watches } from "../../command.ts";
import { readVerb } from "../../grammar/verb.ts";
import { targetWords, termsText, unwatchAsk } from "./watch-message.ts";

export const watches = readVerb({
  name: "watches",
  helpGroup: "Watch",
  summary: "List the watches here and your own",
  example: "watches",
  near: ["alerts", "notifications", "subscriptions", "mutes"],
  phrases: [
    [
      "what [is] [you] watch|is any watch|who [is] watch NAME|what [KINDS|alerts] is muted|is NAME muted|[show|is|what] (watches|alerts)",
      "watches",
    ],
  ],
  args: z.object({}),
  async answer(_args, verbContext) {
    const { watches: all, ...known } = await verbContext.records.watches();
    const here = all.filter(({ place }) => isHere(place, verbContext));
    const elsewhere = all.filter((watch) => !here.includes(watch));
    return listMessage({ here, elsewhere, ...known }, verbContext);
  },
});

/** Each takes two blocks, and its buttons about 500 characters of JSON. */
const MOST = 12;

type Shown = Omit<Watches, "watches"> & { readonly here: readonly Watch[]; readonly elsewhere: readonly Watch[] };

function isHere(place: Watch["place"], { asker }: Pick<VerbContext, "asker">): boolean {
  const isDm = !/^[CG]/u.test(asker.channelId);
  return place.kind === "dm" ? isDm : place.channelId === asker.channelId;
}

function listMessage({ here, elsewhere, mutes, lastPolls }: Shown, verbContext: VerbContext): Message {
  const { command } = verbContext.settings;
  const isDm = !/^[CG]/u.test(verbContext.asker.channelId);
  const shown = [...here, ...elsewhere].slice(0, MOST);
  const rest = here.length + elsewhere.length - shown.length;
  const rows = (some: readonly Watch[]): Block[] =>
    some.filter((watch) => shown.includes(watch)).flatMap((watch) => row(watch, lastPolls, verbContext));
  return postOf([
    ...(here.length === 0
      ? [
          section(
            isDm ? "You watch nothing in your direct messages." : "Nothing is watched in this channel.",
            `To get a message when a workload fails: \`${command} watch web\``,
          ),
        ]
      : [header(isDm ? "Watched for you" : "Watched in this channel"), ...rows(here)]),
    ...mutes.slice(0, MOST).map(muteLine),
    ...(elsewhere.length === 0 ? [] : [header("Yours elsewhere"), ...rows(elsewhere)]),
    ...(rest === 0 ? [] : [context(`And ${counted(rest, "more watch", "more watches")}.`)]),
  ]);
}

function row(watch: Watch, polls: readonly LastPoll[], verbContext: VerbContext): Block[] {
  const { target, place, owner, source, pausedWhy } = watch;
  const isOwn = owner.userId === verbContext.asker.userId;
  const parts: Inline[] = [words(pausedWhy === undefined ? "🔔 " : "🔕 "), ...targetWords(target)];
  if (target.kind !== "job" && target.region !== verbContext.defaultRegion) {
    parts.push(words(` in ${target.region}`, 80));
  }
  if (!isHere(place, verbContext)) {
    parts.push(
      ...(place.kind === "dm" ? [words(" in your direct messages")] : [words(" in "), channel(place.channelId)]),
    );
  }
  const by = source === "file" ? "from the file of watches" : isOwn ? "yours" : `by ${owner.name}`;
  return [
    pausedWhy === undefined
      ? section(parts, termsText(watch), `${by}${freshness(watch, polls, verbContext)}`)
      : section(parts, termsText(watch), [words(`${by} · paused: ${pausedWhy}`, 300)]),
    // The file alone ends what is in it.
    ...(source === "file" ? [] : actions(runButton("Stop watching", unwatchAsk(watch), { at: 0 }))),
  ];
}

/** How old what Gantry knows of these workloads is. A digest reads them when it is due. */
function freshness(
  { target, account, digest }: Watch,
  polls: readonly LastPoll[],
  { settings, now }: VerbContext,
): string {
  if (digest !== undefined) return "";
  const kinds = (["service", "job"] as const).filter((kind) => target.kind === undefined || target.kind === kind); // the kinds that a watch can be about
  const known = kinds.flatMap((kind) => {
    const region = kind === "job" ? settings.jobsRegion : target.region;
    const poll = polls.find(
      (each) => each.account === account.username && each.region === region && each.kind === kind,
    );
    return poll === undefined ? [] : [poll.at.getTime()];
  });
  if (known.length < kinds.length) return " · not looked at yet";
  return ` · looked at ${shortSpan(now.getTime() - Math.min(...known))} ago`;
}

function muteLine({ names, until, by }: Mute): Block {
  return section([
    words("🔕 "),
    ...targetWords({ kind: undefined, names }),
    words(` muted by ${by.name}`, 120),
    moment(until.toISOString(), " until "),
  ]);
}
