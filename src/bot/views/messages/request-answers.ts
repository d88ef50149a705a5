import type { Button } from "@slack/types";
import type { StoredChange } from "../../changes/stored-change.ts";
import { type Phrased, phraseText } from "../cards/phrases.ts";
import { isDeletion, termsWords, namesIn, changeSummary, personWords } from "../cards/change-words.ts";
import { actionButton, actions, bullets, context, linkButton, section, type Line } from "../kit/blocks.ts";
import { channel, code, expires, joined, strong, words } from "../kit/inline.ts";
import { type Post, postOf, type Names, type Message } from "../kit/post.ts";
import { inviteHint } from "./sentences.ts";
import { truncate, counted, truncateMiddle, visible, capital } from "../kit/text.ts";
import type { Ask } from "../../ask.ts";
import { changeBlocks, headlineBlock } from "../cards/change-card.ts";
import { shortSpan } from "../kit/time.ts";
import { requestButton, runButton } from "../kit/ask-buttons.ts";
import type { Change } from "../../changes/change.ts";
import { imageOf, runningImage } from "../../../api/image.ts";

export type AskedElsewhere = {
  readonly change: StoredChange;
  /** The channel of the card. */
  readonly cardIn: string;
  /** Link to the card, if known. */
  readonly link?: string | undefined;
  readonly defaultRegion?: string | undefined;
  readonly names?: Names;
};

/** For the requester, when the card is in another channel. */
export function askedElsewhere({ change, cardIn, link, defaultRegion, names = {} }: AskedElsewhere): Post {
  const { id, terms, expiresAt } = change;
  // Only the requester sees this, so mentions notify nobody.
  const needs = terms === undefined ? [] : termsWords({ ...terms, mention: "all" }, names);
  const end = expiresAt === undefined ? [] : [words(" · "), expires(expiresAt.toISOString())];
  return postOf(
    [
      section(
        [words("⏳ "), strong(`Waiting for approval: ${phraseText(change, "title", defaultRegion)}`, 400)],
        [
          words("Requested in "),
          channel(cardIn),
          ...(needs.length === 0 ? [] : [words(" · needs "), ...needs]),
          ...end,
        ],
      ),
      ...actions(linkButton("Open card", link), requestButton("cancel", id, { isBeside: true })),
      context(truncate(id, 40)),
    ],
    namesIn(change, names),
  );
}

export type DuplicateRequest = {
  /** The earlier Change. */
  readonly change: StoredChange;
  /** A pending request for the same thing, or an earlier Undo. */
  readonly kind: "waiting" | "undo";
  /** Who reads this. */
  readonly viewer: "requester" | "approver" | "other";
  /** Link to its card, if known. */
  readonly link: string | undefined;
  readonly defaultRegion?: string | undefined;
  /** The id of the request that runs on the workload now, which the earlier Change waits for. */
  readonly waitsFor?: string | undefined;
  readonly names?: Names;
};

/** Answers a duplicate request with the earlier one. Nothing new is created. */
export function duplicateMessage(earlier: DuplicateRequest): Post {
  const { change, link, names, kind, viewer, defaultRegion } = earlier;
  const { card, requester } = change;
  const title = phraseText(change, "title", defaultRegion);
  const where = card === undefined ? [] : [words(" in "), channel(card.channelId)];
  return postOf(
    [
      section(
        kind === "undo"
          ? [words("↩️ "), strong(`Undo already requested: ${title}`, 400)]
          : [words("⏳ "), strong(`Already waiting: ${title}`, 400)],
        [
          viewer === "requester" ? words("You") : strong(requester.name, 80),
          words(" requested it"),
          ...where,
          words(". Nothing was requested again."),
        ],
        ...status(earlier),
      ),
      ...actions(linkButton("Open card", link), ...buttonsFor(earlier)),
      context(truncate(change.id, 40)),
    ],
    namesIn(change, names),
  );
}

function status({ change, names, waitsFor }: DuplicateRequest): Line[] {
  const { state, terms, votes } = change;
  if (state !== "pending" || terms === undefined) return [[words(changeSummary(change, waitsFor), 600)]];
  // Only the requester sees this, so mentions notify nobody.
  const needs = termsWords({ ...terms, mention: "all" }, names);
  return [[words("Needs "), ...needs, words(` · ${votes.length} of ${terms.votes}`)]];
}

/** The requester may cancel, an approver may approve; others read the card. */
function buttonsFor({ change, viewer }: DuplicateRequest): (Button | undefined)[] {
  if (change.state !== "pending" || viewer === "other") return [];
  return [requestButton(viewer === "approver" ? "approve" : "cancel", change.id, { isBeside: true })];
}

export type RepeatMessage = {
  /** The earlier request, of the same person. */
  readonly change: StoredChange;
  readonly ask: Ask;
  readonly agoMs: number;
  readonly defaultRegion?: string | undefined;
  readonly waitsFor?: string | undefined;
};

/** For a person who repeats a request that got no answer. */
export function repeatMessage({ change, ask, agoMs, defaultRegion, waitsFor }: RepeatMessage): Post {
  const isCreation = change.op === "createService" || change.op === "createJob";
  return postOf(
    [
      headlineBlock(change, defaultRegion, waitsFor),
      section(
        `You requested the same ${shortSpan(agoMs)} ago, and Slack didn't take its card.`,
        [words(changeSummary(change, waitsFor), 600)],
        "Nothing was requested again.",
      ),
      // Nothing is created twice, and its values must not stand in a button.
      ...(isCreation ? [] : actions(runButton("Run it again", { ...ask, again: true }, { at: 0 }))),
      context(truncate(change.id, 40)),
    ],
    namesIn(change),
  );
}

export type WarningMessage = {
  readonly phrased: Phrased;
  /** What becomes of Gantry, which itself runs in the workload, a line each. */
  readonly itself: readonly string[];
  /** What it takes back of other people, a line each. */
  readonly ofOthers: readonly string[];
  /** The same request with `confirmed`; of an undo, the id of what it undoes with `confirmed` says the same. */
  readonly ask: Ask;
  readonly confirmed: string;
  readonly undoes: string | undefined;
};

const MOST_OTHERS = 10;

/** For who would take down Gantry, or take back what others did, without knowing it: "Roll back web to 1.4?" */
export function warningMessage({ phrased, itself, ofOthers, ask, confirmed, undoes }: WarningMessage): Post {
  const title = phraseText(phrased, "title");
  const lines = ofOthers.slice(0, MOST_OTHERS).map((line): Line => [words(truncate(visible(line), 300))]);
  const label = "Go on";
  return postOf([
    section(
      [words("⚠️ "), strong(`${title}?`, 400)],
      ...itself.map((line): Line => [words(capital(line), 300)]),
      ...(lines.length === 0 ? [] : ["It also takes back changes of others:"]),
    ),
    ...bullets(lines, ofOthers.length - MOST_OTHERS),
    ...actions(
      undoes === undefined
        ? runButton(label, ask, { at: 0, style: isDeletion(phrased) ? "danger" : undefined })
        : requestButton("undo", `${undoes} ${confirmed}`, { label, isBeside: true }),
      actionButton({ label: "Cancel", action: { kind: "dismiss" }, value: "cancel" }),
    ),
    context("Nothing was changed yet."),
  ]);
}

/** Answers a request for what is already there: "*web* already has 3 instances. Nothing to do." */
export function nothingToDo(change: Pick<Change, "call" | "workload" | "before">): Message {
  const first = [strong(change.workload.name, 255), words(` ${already(change)}. Nothing to do.`, 600)];
  return postOf([section(first, ...(mayBeMoved(change) ? [ifMoved(change.workload.name)] : []))]);
}

/** Every workload is already as requested. */
export function nothingToDoForAny(changes: readonly Change[]): Post {
  const names = joined(
    changes.slice(0, 10).map(({ workload: { name } }) => strong(truncateMiddle(visible(name), 50), 50)),
  );
  const more = changes.length > 10 ? [words(` and ${counted(changes.length - 10, "other")}`)] : [];
  const first = [...names, ...more, words(" are already as requested. Nothing to do.")];
  return postOf([section(first, ...(changes.some(mayBeMoved) ? [ifMoved("NAME")] : []))]);
}

/** Nothing here asks a registry which image a tag has by now. */
function ifMoved(name: string): Line {
  return [
    words("If the tag was moved, deploy the new image by its digest: "),
    code(`deploy ${visible(name)} @sha256:…`),
    words("."),
  ];
}

function already({ call, before }: Pick<Change, "call" | "before">): string {
  if (call.op === "startService") return "is already running";
  if (call.op === "stopService") return "is already stopped";
  if (call.op !== "updateService") return "is already as requested";
  const { target_instance_size: size, containers = [], binding_domain_name: domains, revision } = call.body;
  if (size !== undefined) return `already has ${counted(size, "instance")}`;
  if (domains !== undefined) return "already has these domains";
  if (revision !== undefined && revision !== before?.revision) return `already runs the same as version ${revision}`;
  if (revision !== undefined) return `is already at version ${revision}`;
  const at = containers.findIndex(({ image }) => image !== undefined);
  const { image } = containers[at] ?? {};
  if (image !== undefined) return `already has the image ${visible(runningImage(image, before?.digests?.[at]))}`;
  if (containers.some(({ env }) => env !== undefined)) return "already has these environment variables";
  return containers.length > 0 ? "already has this memory limit" : "is already as requested";
}

/** Whether the image came from a registry, and its name can mean another one later. */
function mayBeMoved({ call, before }: Pick<Change, "call" | "before">): boolean {
  const { containers = [] } = call.op === "updateService" ? call.body : {};
  return containers.some(
    ({ image }, at) =>
      image !== undefined && imageOf(image).digest === undefined && before?.digests?.[at] !== undefined,
  );
}

export type NewsPost = {
  readonly change: StoredChange;
  /** This region isn't mentioned; without it, none is. */
  readonly defaultRegion?: string | undefined;
  readonly names?: Names;
  /** In the thread of the card for everybody, or for the requester alone. */
  readonly route: "thread" | "alone";
  /** It hasn't ended. */
  readonly isRunning?: boolean;
  /** It took effect, and the workload is still being watched. */
  readonly isWatched?: boolean;
  /** Only its thread takes nothing. */
  readonly isCardShown?: boolean;
  /** The card shows it, and they asked to be notified. */
  readonly isAsked?: boolean;
  /** Adds a hint how to invite the bot. */
  readonly botName?: string;
  /** Why the card doesn't show it, as the end of a sentence; and the reference in the log. */
  readonly reason?: string;
  readonly reference?: string;
};

/** News for a requester whose card doesn't show it. No buttons: nothing would update them. */
export function newsPost(news: NewsPost): Post {
  const { change, names, route, botName, isWatched = false } = news;
  const mention = route === "thread" ? [section([personWords(change.requester)])] : [];
  const willTell = isWatched && news.isRunning !== true;
  const watched = willTell ? [section("I'm still watching it, and I'll tell you if it fails.")] : [];
  const why = news.isAsked
    ? [section(whereCard(change))]
    : botName === undefined || route === "thread"
      ? [section(whyNoCard(news))]
      : inviteHint(change.channelId, botName).blocks;
  return postOf([...mention, ...changeBlocks(news), ...watched, ...why], namesIn(change, names));
}

/** "You asked to hear how it ends. Its card is in #ops." */
function whereCard({ card }: StoredChange): Line {
  const asked = words("You asked to hear how it ends.");
  // A conversation of two has no name.
  return card === undefined || card.channelId.startsWith("D")
    ? [asked]
    : [asked, words(" Its card is in "), channel(card.channelId), words(".")];
}

/** "The card in #ops can't be updated: the channel is archived. Reference `1f9c02ab`." */
function whyNoCard({ change, isRunning = false, isCardShown = false, reason, reference }: NewsPost): Line {
  const { card, terms, channelId } = change;
  const where = channel(card?.channelId ?? terms?.cardIn ?? channelId);
  const [before, after] =
    card === undefined
      ? ["There's no card in ", ""]
      : isCardShown
        ? ["I couldn't post this in the card's thread in ", ""]
        : ["The card in ", " can't be updated"];
  const known = reference === undefined ? [] : [words(" Reference "), code(reference, 40), words(".")];
  const then = isRunning ? " It runs, so don't request it again. I'll tell you here how it ends." : "";
  return [words(before), where, words(`${after}: ${reason ?? "Slack isn't taking it right now"}.${then}`), ...known];
}
