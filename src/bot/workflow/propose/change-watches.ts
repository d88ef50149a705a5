import { randomUUID } from "node:crypto";
import type { Context, VerbContext, WatchWish } from "../../commands/command.ts";
import type { Ask } from "../../ask.ts";
import { commandOf } from "../../commands/grammar/parse.ts";
import { regionOf } from "../../commands/grammar/argument-types.ts";
import { orOther, OtherKind, readJob, readService, unknownName } from "../../commands/lookup/find.ts";
import { mayName, readRefusal, visibleTarget } from "../../commands/lookup/may-see.ts";
import { ofNamedKind } from "../../commands/lookup/named-workloads.ts";
import { LONGEST_MUTE_MS, muteEnd } from "../../commands/verbs/watch/watch-words.ts";
import { messageFor, type Post } from "../../views/kit/post.ts";
import {
  sentToAsker,
  termsText,
  unnamedWatchMessage,
  type WatchDeed,
  watchMessage,
} from "../../commands/verbs/watch/watch-message.ts";
import { Problem } from "../../../api/problem.ts";
import { UserError } from "../../errors.ts";
import type { Announcement, HistoryEventKind, NewHistoryEvent } from "../../changes/history-event.ts";
import { nextDigest } from "../../watch/due.ts";
import { matchesPattern } from "../../policy/patterns.ts";
import type { Watch, WatchPlace, WatchTarget } from "../../watch/watch.ts";
import { isBotIn } from "../access/approvers.ts";
import { accessFor } from "../access/context.ts";
import { eventAbout, logEvent, originEvent, refusedPost } from "../history.ts";
import type { Reply } from "../inbox/interaction.ts";
import { isDirect, type Origin } from "../origin.ts";
import type { NewWatch, WatchLimits } from "../stored.ts";
import type { WorkflowParts } from "../ports.ts";
import { announcement } from "../post/announcement.ts";

const limits: WatchLimits = { perOwner: 50, perPlace: 100 };

type WatchInteraction = { readonly ask: Ask; readonly origin: Origin; readonly reply: Reply };

type Asked = {
  readonly ask: Ask;
  readonly origin: Origin;
  /** The same person, in the place that gets the messages. */
  readonly at: Origin;
  readonly place: WatchPlace;
  readonly context: Context;
  readonly account: NewWatch["account"];
};

/**
 * Starts or ends a watch, or mutes workloads: policy decides, and a channel gets an announcement. Idempotent.
 * Throws `UserError`, `Problem` or `StoreError`.
 */
export async function changeWatches(
  deps: WorkflowParts,
  { ask, origin, reply }: WatchInteraction,
  signal: AbortSignal,
): Promise<void> {
  const command = commandOf(ask);
  if (command.effect !== "watch") throw new Error(`${command.name} is no verb about watches`);
  const wish = command.wish(ask);
  const place = placeOf(wish, origin);
  const channelId = place.kind === "dm" ? origin.userId : place.channelId;
  const isElsewhere = place.kind === "channel" && place.channelId !== origin.channelId;
  // Only a new watch reads with the account. Others can be ended and muted by whoever reads the message.
  const account = wish.kind === "watch" ? origin.account : undefined;
  const at: Origin = { ...origin, account, channelId, ...(isElsewhere && { isChosen: true }) };
  const access = await accessFor(deps, { origin: at, effect: "write" }, signal);
  reply.actsFor(access.account.username);
  const asked: Asked = { ask, origin, at, place, ...access };
  const done = await change(deps, asked, wish);
  if (done === undefined) return reply.send(await refused(deps, asked, wish), "refused");
  const { message, announced } = done;
  if (announced === undefined) return reply.send(message, "done");
  // Everybody there reads it, the person too unless they are elsewhere or may read the names only here.
  const isDelivered = await deps.deliver(announced, origin.teamId);
  if (!isDelivered) return reply.send(sentToAsker(message, { channelId, isWatch: wish.kind === "watch" }), "done");
  if (isElsewhere || !announced.isNamed) await reply.send(message, "done");
}

function placeOf({ place }: WatchWish, { channelId }: Origin): WatchPlace {
  if (typeof place === "object") return { kind: "channel", channelId: place.channelId };
  return place === "dm" || isDirect(channelId) ? { kind: "dm" } : { kind: "channel", channelId };
}

type Done = {
  readonly message: Post;
  /** The same for everybody in the channel; undefined when it is no news there. */
  readonly announced: Announced | undefined;
};

/** `isNamed`: policy lets the channel read what it names. */
type Announced = Announcement & { readonly isNamed: boolean };

type Named = Pick<WatchTarget, "kind" | "names"> & Partial<WatchTarget>;

type Announcing = {
  readonly kind: WatchDeed;
  readonly message: Post;
  readonly targets: readonly [Named, ...Named[]];
};

/** The announcement for the channel of the watch; none for a direct message. */
async function announcedIn(
  { ask, place, at, account: { username }, context }: Asked,
  { kind, message, targets }: Announcing,
): Promise<Announced | undefined> {
  if (place.kind === "dm") return undefined;
  const region = ask.region ?? context.settings.region;
  const unnamed = unnamedWatchMessage({ kind, by: context.asker.name, place }, targets[0]);
  const typed = targets.map((target) => ({ region, ...target }));
  const names = { account: username, targets: typed, unnamed };
  const content = { by: at.userId, names, post: messageFor(username, message) };
  return { ...announcement(place.channelId, content), isNamed: await mayName(typed, context) };
}

/** Writes it with its row of history. False: nothing has changed. */
async function write(
  deps: WorkflowParts,
  { ask, at, context, account }: Asked,
  { kind, target, result, announced: announcement }: Happened,
  writing: (event: NewHistoryEvent) => Promise<boolean>,
): Promise<boolean> {
  const about = eventAbout(target, context.settings, result);
  const by = { kind, verb: ask.verb, account: account.username, announcement };
  const event = originEvent(at, context.asker, { ...by, ...about });
  const isWritten = await writing(event);
  if (isWritten) logEvent(deps, event);
  return isWritten;
}

/** Undefined: policy refuses it. */
async function change(deps: WorkflowParts, asked: Asked, typed: WatchWish): Promise<Done | undefined> {
  const wish = { ...typed, target: await ofNamedKind(typed.target, lookupContext(asked)) };
  if (wish.kind === "unwatch") return end(deps, asked, wish);
  if ((await refusalOf(asked, wish)) !== undefined) return undefined;
  return wish.kind === "watch" ? start(deps, asked, wish) : mute(deps, asked, wish);
}

/** The question to policy, with a pattern as the name: a rule that covers the pattern covers all that match it. */
function aboutWatching({ ask, context }: Pick<Asked, "ask" | "context">, target: Pick<WatchTarget, "kind" | "names">) {
  const region = regionOf(target.kind, ask.region ?? context.settings.region, context.settings);
  return { op: "watch", risk: undefined, workload: { kind: target.kind, region, name: target.names } } as const; // a literal action
}

function targetOf({ target: { kind, name } }: WatchWish, { context }: Pick<Asked, "context">) {
  // In a bound channel, all are those that it is about.
  return { kind, names: name === "*" ? (context.binding?.names ?? "*") : name };
}

async function refusalOf(asked: Asked, wish: WatchWish) {
  return readRefusal(await asked.context.permissions.verdict(aboutWatching(asked, targetOf(wish, asked))));
}

async function refused(deps: WorkflowParts, asked: Asked, wish: WatchWish) {
  const { ask, context, at, account } = asked;
  const refusal = await refusalOf(asked, wish);
  if (refusal === undefined)
    throw new UserError("Policy changed in between. Nothing was changed.", { next: "Try again." });
  const { kind, region, name } = aboutWatching(asked, targetOf(wish, asked)).workload;
  const workload = name.includes("*") ? undefined : { kind, region, name };
  const attempt = { refusal, workload, verb: ask.verb, origin: at, who: context.asker, account: account.username };
  return refusedPost(deps, attempt);
}

type Wished<Kind extends WatchWish["kind"]> = Extract<WatchWish, { readonly kind: Kind }>;

async function start(deps: WorkflowParts, asked: Asked, wish: Wished<"watch">): Promise<Done> {
  const { context, place, at, ask, account } = asked;
  const { asker } = context;
  const { names, kind } = targetOf(wish, asked);
  await checkBotIn(deps, asked);
  const found = names.includes("*") ? kind : await existing({ kind, name: names }, asked);
  const zone = context.asker.zone ?? deps.settings.logZone;
  const watch: NewWatch = {
    id: randomUUID(),
    teamId: at.teamId,
    owner: { userId: asker.userId, name: asker.name },
    source: "person",
    account: { owner: account.owner, username: account.username },
    target: { kind: found, names, region: ask.region ?? context.settings.region },
    place,
    events: wish.events,
    afterMs: wish.afterMs,
    quiet: wish.quiet && { ...wish.quiet, zone },
    digest: wish.digest && { ...wish.digest, zone },
  };
  const next = watch.digest && nextDigest(watch.digest, context.now);
  const common = { watch, next, by: asker.name, place, defaultRegion: context.defaultRegion };
  const message = watchMessage({ kind: "watched", ...common });
  const announced = await announcedIn(asked, { kind: "watched", message, targets: [watch.target] });
  const happened: Happened = { kind: "watched", target: watch.target, result: termsText(watch), announced };
  const isNew = await write(deps, asked, happened, async (event) => {
    const answer = await deps.store.addWatch(watch, limits, event);
    if (answer.kind === "full") throw tooMany(answer.by, deps.settings.command);
    return answer.kind !== "same";
  });
  return isNew ? { message, announced } : { message: watchMessage({ kind: "same", ...common }), announced: undefined };
}

function tooMany(by: "owner" | "place", command: string): UserError {
  const [who, most] = by === "owner" ? ["You have", limits.perOwner] : ["This channel has", limits.perPlace];
  return new UserError(`${who} ${most} watches, the most there can be. Nothing was changed.`, {
    next: `End one with \`${command} unwatch\`, or use a pattern like \`"shop-*"\`.`,
  });
}

/** Throws a `UserError` where Gantry isn't, because it couldn't post there. */
async function checkBotIn({ people, settings }: WorkflowParts, { at, place }: Asked): Promise<void> {
  if (place.kind === "dm" || (await isBotIn(people, at.channelId))) return;
  const where = at.isChosen === true ? "the channel you chose" : "this channel";
  throw new UserError(`I'm not in ${where}, so I can't post there. Nothing was changed.`, {
    next: `Invite me${at.isChosen === true ? " there" : ""} with \`/invite @${people.bot().name}\`, then try again. Or get direct messages: \`${settings.command} watch NAME --dm\``,
  });
}

function lookupContext({ ask, context }: Pick<Asked, "ask" | "context">): VerbContext {
  return { ...context, ask, region: ask.region ?? context.settings.region, actions: [], sends: [] };
}

/** A mistyped name would be watched for ever, and never fail. The kind is known when only one kind has it. */
async function existing(
  target: { readonly kind: WatchTarget["kind"]; readonly name: string },
  { ask, context }: Asked,
) {
  const verbContext = lookupContext({ ask, context });
  const { kind, name } = await visibleTarget(target, verbContext);
  const [service, job] = await Promise.all([
    kind === "job" ? undefined : orOther(readService(name, verbContext)),
    kind === "service" ? undefined : orOther(readJob(name, verbContext)),
  ]);
  const isService = service !== undefined && !(service instanceof OtherKind);
  const isJob = job !== undefined && !(job instanceof OtherKind);
  if (isService && isJob) return kind;
  if (isService) return "service";
  if (isJob) return "job";
  if (service instanceof OtherKind) throw service;
  if (job instanceof OtherKind) throw job;
  throw await unknownName({ kind, name }, verbContext);
}

/** Whoever may watch something in a channel may also end what others watch there: it is everybody's channel. */
async function end(deps: WorkflowParts, asked: Asked, wish: Wished<"unwatch">): Promise<Done | undefined> {
  const { context, place, at, ask } = asked;
  const { asker } = context;
  const target = targetOf(wish, asked);
  const all = await deps.store.watchesOf({ teamId: at.teamId, ownerId: asker.userId, place: at.channelId });
  const isThere = (watched: WatchPlace): boolean =>
    watched.kind === "dm" ? place.kind === "dm" : place.kind === "channel" && watched.channelId === place.channelId;
  const named = all.filter(
    (watch) =>
      isThere(watch.place) &&
      watch.target.names === target.names &&
      (target.kind === undefined || watch.target.kind === undefined || watch.target.kind === target.kind) &&
      (ask.region === undefined || watch.target.region === ask.region),
  );
  const digests = named.filter(({ digest }) => digest !== undefined);
  const watches = named.filter((watch) => !digests.includes(watch));
  // Without --digest, a digest is meant only where nothing else is.
  const meant = wish.isDigest || watches.length === 0 ? digests : watches;
  const own = meant.filter(({ owner, source }) => source === "person" && owner.userId === asker.userId);
  const others = meant.filter((watch) => watch.source === "person" && !own.includes(watch));
  if (own.length === 0 && meant.length > 0 && (await refusalOf(asked, wish)) !== undefined) return undefined;
  const mayEndOthers = others.length > 0 && (await refusalOf(asked, wish)) === undefined;
  const common = { by: asker.name, place, defaultRegion: context.defaultRegion };
  const ends = mayEndOthers ? [...own, ...others] : own;
  const { command } = deps.settings;
  const isDigest = meant === digests && digests.length > 0;
  const still = isDigest
    ? undefined
    : all.find((watch) => isThere(watch.place) && !ends.includes(watch) && tellsOf(watch, target, ask.region))?.target;
  const isOther = isDigest ? watches.length > 0 : digests.length > 0;
  const goesOn = isOther ? (isDigest ? "single messages" : "digest") : undefined;
  const message = watchMessage({ kind: "ended", watches: ends, goesOn, still, command, ...common });
  const [first, ...rest] = ends.map((watch) => watch.target);
  const announced =
    first &&
    (await announcedIn(asked, {
      kind: "ended",
      message,
      targets: [first, ...rest, ...(still === undefined ? [] : [still])],
    }));
  let isNews = false;
  for (const watch of ends) {
    // With the first one that ends: somebody else may have ended some just now.
    const announcement = isNews ? undefined : announced;
    const happened: Happened = { kind: "unwatched", target: watch.target, result: "", announced: announcement };
    const isEnded = await write(deps, asked, happened, async (event) => {
      return (await deps.store.removeWatch({ id: watch.id, teamId: at.teamId }, event)) !== undefined;
    });
    isNews ||= isEnded;
  }
  if (isNews) return { message, announced };
  const isFile = meant.some(({ source }) => source === "file");
  const nothing = watchMessage({ kind: "nothing", target, isFile, still, command, ...common });
  return { message: nothing, announced: undefined };
}

/** Whether a watch covers these workloads, by name or by a pattern. */
function tellsOf(
  { target, digest, pausedWhy }: Watch,
  { kind, names }: Pick<WatchTarget, "kind" | "names">,
  region: string | undefined,
): boolean {
  if (digest !== undefined || pausedWhy !== undefined || !matchesPattern(target.names, names)) return false;
  if (target.kind !== undefined && kind !== undefined && target.kind !== kind) return false;
  return region === undefined || target.region === region;
}

async function mute(deps: WorkflowParts, asked: Asked, wish: Wished<"mute">): Promise<Done> {
  const { context, place, at } = asked;
  const { asker, now } = context;
  const target = targetOf(wish, asked);
  const { names } = target;
  const where = place.kind === "dm" ? { ...place, userId: asker.userId } : place;
  const common = { by: asker.name, place, defaultRegion: context.defaultRegion };
  const muted = { teamId: at.teamId, place: where, names, by: { userId: asker.userId, name: asker.name } };
  if (wish.until === "off") {
    const isOff = await write(deps, asked, { kind: "unmuted", target, result: "" }, (event) =>
      deps.store.unmute(muted, event),
    );
    const message = watchMessage({ kind: isOff ? "unmuted" : "not-muted", names, ...common });
    return { message, announced: undefined };
  }
  const until = muteEnd(wish.until, now, asker.zone ?? deps.settings.logZone);
  const forMs = until.getTime() - now.getTime();
  if (forMs <= 0 || forMs > LONGEST_MUTE_MS) {
    throw new UserError(`That is ${forMs <= 0 ? "over already" : "more than 30 days away"}. Nothing was changed.`, {
      next: "Mute for up to 30 days: `mute web 2h`, `mute web until tomorrow`.",
    });
  }
  const result = `until ${until.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const doubt = await doubtOf(names, asked);
  const message = watchMessage({ kind: "muted", mute: { names, until }, doubt, ...common });
  await write(deps, asked, { kind: "muted", target, result }, (event) => deps.store.mute({ ...muted, forMs }, event));
  return { message, announced: undefined };
}

/** Muting a mistyped name mutes nothing. It is no mistake where the workload is elsewhere, or its API is away. */
async function doubtOf(name: string, asked: Asked): Promise<string | undefined> {
  if (name.includes("*")) return undefined;
  try {
    await existing({ kind: undefined, name }, asked);
    return undefined;
  } catch (error) {
    if (error instanceof Problem || error instanceof OtherKind) return undefined;
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

type Happened = {
  readonly kind: HistoryEventKind;
  readonly target: Pick<WatchTarget, "kind" | "names"> & Partial<WatchTarget>;
  readonly result: string;
  /** A mute has none, because it keeps a channel quiet: the list of watches and history tell of it. */
  readonly announced?: Announcement | undefined;
};
