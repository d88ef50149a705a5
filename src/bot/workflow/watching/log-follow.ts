import { randomUUID } from "node:crypto";
import { z } from "zod";
import { Problem } from "../../../api/problem.ts";
import type { Card } from "../../changes/stored-change.ts";
import type { Context } from "../../commands/command.ts";
import { refusedRead } from "../../commands/lookup/authorize.ts";
import { type FollowLook, FollowedLog } from "../../commands/verbs/logs/follow-look.ts";
import { lookForLines } from "../../commands/verbs/logs/followed-log.ts";
import {
  addedLines,
  followBegins,
  followHead,
  followLines,
  followOpening,
  followOver,
  stopWhat,
} from "../../commands/verbs/logs/follow-messages.ts";
import { logs } from "../../commands/verbs/logs/logs.ts";
import { stop } from "../../commands/verbs/power.ts";
import type { Target } from "../../commands/grammar/argument-types.ts";
import type { Unfinished } from "../../commands/grammar/parse.ts";
import type { Message } from "../../views/kit/post.ts";
import { SlackAway, StoreError, UserError } from "../../errors.ts";
import { inviteHint, sentences } from "../../views/messages/sentences.ts";
import { contextFor } from "../access/context.ts";
import { failureMessage } from "../failure.ts";
import { type Due, dueKinds } from "../due-kinds.ts";
import { type DueEnd, LeaseLost } from "../due.ts";
import { isDirect, type Origin } from "../origin.ts";
import { endedHead } from "./log-follow-end.ts";
import type { Sent } from "../posts.ts";
import type { FollowLimits, SavedFollow, TakenFollow } from "../stored.ts";
import type { WorkflowParts } from "../ports.ts";
import { hasLeft } from "./rights.ts";

// A log that is followed into a thread. Each look is one step, and what it brings is stored with the place in the log before
// it is sent: whoever goes on after a replica that died draws the message again from what is stored, so that no line is lost
// and none comes twice. Between two looks nothing runs.

/** A message of the thread that grows. */
const Grown = z.object({
  /** Undefined until Slack has confirmed it. */
  ts: z.string().optional(),
  /** `sealed`: it was streamed, and takes no more. */
  how: z.enum(["stream", "edit", "sealed"]),
  startedMs: z.number(),
  steps: z.number(),
  /** All lines that it shows, or will show. */
  text: z.string(),
  /** How much of the text Slack shows. */
  drawn: z.number().optional(),
});
type Grown = z.infer<typeof Grown>;

const Following = z.object({
  log: FollowedLog,
  origin: z.object({
    userId: z.string(),
    teamId: z.string(),
    channelId: z.string(),
    threadTs: z.string().optional(),
    /** The username whose workload it is. */
    account: z.string().optional(),
  }),
  requester: z.string(),
  startedMs: z.number(),
  forMs: z.number(),
  /** How messages grow; `edit` from the first refusal of a stream on. */
  how: z.enum(["stream", "edit"]),
  message: Grown.optional(),
  /** False until its first message says that it follows. Undefined in one of an earlier version. */
  isOpen: z.boolean().optional(),
  /** False from the moment lines are stored until Slack has them. */
  isShown: z.boolean(),
  shown: z.number(),
  skipped: z.number(),
  /** Looks in a row without new lines. */
  quiet: z.number(),
  /** Since when nothing could be read. */
  failingSinceMs: z.number().optional(),
  /** Why it ends: then only its messages are left to draw. */
  why: z.string().optional(),
});
type Following = z.infer<typeof Following>;

/** Few, because each makes a call to the workload API and one to Slack every few seconds. */
const limits: FollowLimits = { perPerson: 2, perChannel: 3, perWorkspace: 10 };
/** One update of a message at most in this time. */
const EVERY_MS = 3_000;
/** Slack takes about 50 edits a minute in a workspace, of all follows together. */
const EVERY_MS_EACH = 1_500;
/** Of a workload API that isn't ours: it may allow few calls a day. */
const EVERY_MS_ELSEWHERE = 10_000;
/** A quiet log is looked at less often. */
const QUIETER = 1.4;
const QUIETEST_MS = 15_000;
const QUIETEST_MS_ELSEWHERE = 30_000;
/** Before Slack ends a stream, which it does about five minutes after its start. */
const STREAMED_FOR_MS = 4 * 60_000;
/** Of the 50 blocks that Slack takes in the steps of one stream. */
const MOST_STEPS = 45;
/** So that a message fits into one text block. */
const MOST_TEXT = 3_400;
/** Lines of one follow. */
const MOST_SHOWN = 2_000;
/** Without an answer of the workload API for so long, nobody waits for one. */
const FAILING_FOR_MS = 5 * 60_000;
const AGAIN_MS = 5_000;
/** After its end, messages that can't be drawn are left as they are. */
const DRAWN_WITHIN_MS = 15 * 60_000;

export type NewFollow = { readonly look: FollowLook; readonly forMs: number };

type Begin = NewFollow & { readonly origin: Origin; readonly context: Context };

/**
 * Begins to follow a log where it was asked for: stored first, then a message with a Stop button, with the newest lines in its
 * thread. Throws a `UserError` when there are too many, or the bot can't post there.
 */
export async function startFollow(deps: WorkflowParts, { look, forMs, origin, context }: Begin, signal: AbortSignal) {
  const { userId, teamId, channelId, threadTs } = origin;
  const nowMs = deps.clock.now().getTime();
  const state: Following = {
    log: look.log,
    origin: {
      userId,
      teamId,
      channelId,
      account: context.account.username,
      ...(threadTs !== undefined && { threadTs }),
    },
    requester: context.asker.name,
    startedMs: nowMs,
    forMs,
    how: "stream",
    ...(look.text !== "" && { message: messageOf(look.text, "stream", nowMs) }),
    isOpen: false,
    isShown: look.text === "",
    shown: look.shown,
    skipped: 0,
    quiet: 0,
  };
  const id = randomUUID();
  const row = { id, teamId, channelId, requesterId: userId, sealed: sealOf(deps, id, state) };
  const begun = await deps.store.beginFollow({ ...row, limits, leaseMs: dueKinds.follow.leaseMs });
  if (begun.kind === "full") {
    throw new UserError(tooManyWords[begun.by], { next: "Stop one with its Stop button, or wait until it ends." });
  }
  const { due } = begun;
  const taken = { ...row, due, headTs: undefined, stoppedBy: undefined, count: 1 };
  try {
    await goOn(deps, { taken, state, isFirst: true }, signal);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    if (!(error instanceof Unposted)) throw error;
    if (error.why !== undefined) throw new UserError(`${error.why}.`, { next: "Nothing is followed." });
    if (error.canInvite) {
      await deps.responder.tellPatiently(inviteHint(channelId, deps.people.bot().name), origin);
      return;
    }
    if (error.isForNow) {
      throw new UserError("Slack didn't confirm my message, so the log isn't followed.", {
        next: "Try again in a minute.",
      });
    }
    throw new UserError("I can't post here, so I can't follow a log.", {
      next: "Ask in a channel that I'm in, or in your direct message with me.",
    });
  }
}

const tooManyWords = {
  person: `You already follow ${limits.perPerson} logs.`,
  channel: `${limits.perChannel} logs are already followed in this channel.`,
  workspace: `${limits.perWorkspace} logs are already followed in this workspace.`,
} as const; // literal keys

/** Makes the next look at a log that is followed. */
export async function followOn(deps: WorkflowParts, due: Due, signal: AbortSignal): Promise<DueEnd> {
  const taken = await deps.store.followOf(due);
  if (taken === undefined) return "done";
  const state = openState(deps, taken);
  if (state !== undefined) await goOn(deps, { taken, state }, signal);
  // Another version wrote it, or its key is gone: what its messages show stays.
  else await deps.store.endFollow(due);
  return "ended";
}

/** Ends a follow for somebody who may read the log. Answers only when it didn't work: the messages show it otherwise. */
export async function stopFollow(
  deps: WorkflowParts,
  { id, origin }: { readonly id: string; readonly origin: Origin },
  signal: AbortSignal,
): Promise<void> {
  const { store, responder } = deps;
  const { teamId } = origin;
  try {
    const sealed = await store.sealedFollow({ id, teamId });
    const state = sealed === undefined ? undefined : openState(deps, { id, sealed });
    // In place of the button, which a message keeps that Slack took and didn't confirm.
    if (state === undefined) return await responder.answer(sentences.followIsOver(), origin, { isShared: true });
    const isOwn = origin.userId === state.origin.userId;
    const { account } = state.origin;
    const context = await contextFor(deps, { origin: isOwn ? origin : { ...origin, account }, effect: "read" }, signal);
    if (!isOwn && (await refusedRead(logs, state.log.ask, context)) !== undefined) {
      return await responder.tellPatiently(sentences.followIsOthers(), origin);
    }
    await store.stopFollow({ id, teamId }, context.asker.name);
    deps.wake();
  } catch (error) {
    await responder.tellPatiently(failureMessage(deps, error, { verb: logs.name, effect: "read" }), origin);
  }
}

type Ending = { readonly of: Target | undefined; readonly origin: Origin; readonly context: Context };

/**
 * Ends the follows of this place that are meant: somebody's own, or else those whose log they may read. One that they name may also be
 * their own elsewhere. Returns the names of the workloads.
 */
export async function unfollow(deps: WorkflowParts, { of, origin, context }: Ending): Promise<readonly string[]> {
  const { userId, teamId, channelId } = origin;
  const named = (await followedBy(deps, origin)).filter(
    ({ log }) => of === undefined || (log.name === of.name && (of.kind === undefined || log.kind === of.kind)),
  );
  const here = named.filter((each) => each.channelId === channelId);
  const own = (here.length > 0 || of === undefined ? here : named).filter(({ requesterId }) => requesterId === userId);
  const meant = [];
  for (const each of own.length > 0 ? own : here) {
    const isAllowed = each.requesterId === userId || (await refusedRead(logs, each.log.ask, context)) === undefined;
    if (isAllowed && (await deps.store.stopFollow({ id: each.id, teamId }, context.asker.name))) meant.push(each);
  }
  deps.wake();
  return meant.map(({ log }) => log.name);
}

/** What is followed in this place, and by this person anywhere. */
async function followedBy(deps: WorkflowParts, { userId, teamId, channelId }: Origin) {
  const stored = await deps.store.followsOf({ teamId, channelId, requesterId: userId });
  return stored.flatMap((each) => {
    const state = openState(deps, each);
    return state === undefined ? [] : [{ ...each, log: state.log }];
  });
}

/** The answer to a bare `stop` that offers to stop following a log. Undefined if none is followed here, or by whoever asks. */
export async function followToStop(
  deps: WorkflowParts,
  begun: Unfinished,
  origin: Origin,
): Promise<Message | undefined> {
  if (begun.command.name !== stop.name) return undefined;
  try {
    const followed = await followedBy(deps, origin);
    if (followed.length === 0) return undefined;
    return stopWhat([...new Set(followed.map(({ log }) => `${log.kind}/${log.name}`))]);
  } catch (error) {
    // The form works without the database.
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

type Work = {
  readonly taken: TakenFollow;
  readonly state: Following;
  /** Its lines were just read. */
  readonly isFirst?: true;
};

/** The message that it begins with couldn't be posted, and nothing is left of it. */
class Unposted extends Error {
  readonly canInvite: boolean;
  readonly isForNow: boolean;
  /** Not because of Slack. */
  readonly why: string | undefined;

  constructor({ canInvite = false, isForNow = false, why }: Partial<Pick<Unposted, "canInvite" | "isForNow" | "why">>) {
    super("the first message couldn't be posted");
    this.canInvite = canInvite;
    this.isForNow = isForNow;
    this.why = why;
  }
}

/** One step: draws what is stored and not shown, then looks for new lines. Ends the lease. Throws `LeaseLost` or `Unposted`. */
async function goOn(deps: WorkflowParts, work: Work, signal: AbortSignal): Promise<void> {
  const { taken, isFirst = false } = work;
  const run: Run = { deps, taken, state: work.state, signal };
  try {
    if (taken.headTs === undefined) await postHead(run);
    if (!(await takeStep(run, isFirst))) await rest(run, await pauseOf(run));
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof StoreError || error instanceof Unposted) throw error;
    if (error instanceof RetryLater) return rest(run, error.ms);
    // Nobody waits for the step: the next one may work, and what can't go on for long ends.
    deps.log.error({ err: error }, "a step of following a log failed");
    return rest(run, AGAIN_MS);
  }
}

/** What a step works with. */
type Run = {
  readonly deps: WorkflowParts;
  readonly signal: AbortSignal;
  taken: TakenFollow;
  state: Following;
};

/** Slack or the workload API takes nothing now. */
class RetryLater extends Error {
  readonly ms: number;

  constructor(ms: number) {
    super("not now");
    this.ms = ms;
  }
}

/** Stores the state, and renews the lease. */
async function save(run: Run, changed: Partial<Following>, next: Pick<SavedFollow, "nextMs"> = {}): Promise<void> {
  run.state = { ...run.state, ...changed };
  const { deps, taken, state } = run;
  const saved = { sealed: sealOf(deps, taken.id, state), headTs: taken.headTs, ...next };
  if (!(await deps.store.saveFollow(taken.due, saved))) throw new LeaseLost();
}

/** Stores the state, and ends the lease until the next look. */
function rest(run: Run, ms: number): Promise<void> {
  return save(run, {}, { nextMs: Math.max(EVERY_MS, Math.round(ms)) });
}

async function postHead(run: Run): Promise<void> {
  const { deps, taken, state } = run;
  const { threadTs } = state.origin;
  const refused = await reader(run).catch((error: unknown) => {
    if (error instanceof Unreadable) return error;
    throw error;
  });
  if (refused instanceof Unreadable) {
    await deps.store.endFollow(taken.due);
    throw new Unposted({ why: refused.message });
  }
  const to = { place: taken.channelId, ...(threadTs !== undefined && { threadTs }) };
  const posted = await deps.sender.post(to, followOpening(state.log));
  if (posted.kind !== "sent") {
    // Nobody was shown anything: whoever asked is told.
    await deps.store.endFollow(taken.due);
    throw new Unposted({
      canInvite: posted.kind === "blocked" && posted.by === "invitation" && !isDirect(taken.channelId),
      isForNow: posted.kind === "later",
    });
  }
  const { channelId, ts: headTs } = posted.value;
  run.taken = { ...taken, channelId, headTs };
  await save(run, {});
}

/** Its first message says that it follows, with a Stop button. Tried again with each step; without that message it ends. */
async function openHead(run: Run): Promise<void> {
  const { deps, taken } = run;
  const { channelId, headTs: ts } = taken;
  if (run.state.isOpen !== false || ts === undefined) return;
  const { kind } = await deps.sender.update({ channelId, ts }, followHead(factsOf(run)));
  if (kind === "gone") return leave(run);
  if (kind === "sent") run.state = { ...run.state, isOpen: true };
}

/** True: it is over, and nothing of it is stored any more. */
async function takeStep(run: Run, isFirst: boolean): Promise<boolean> {
  try {
    return await lookAndShow(run, isFirst);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const { message, ...others } = run.state;
    // What Slack hasn't shown yet is not for those readers any more.
    const text = message?.text.slice(0, message.drawn ?? 0) ?? "";
    run.state = { ...others, ...(message?.ts !== undefined && { message: { ...message, text } }), isShown: true };
    return finish(run, error.message);
  }
}

async function lookAndShow(run: Run, isFirst: boolean): Promise<boolean> {
  const { deps, taken, signal } = run;
  await openHead(run);
  if (!run.state.isShown) await show(run);
  if (isFirst || signal.aborted) return false;
  const nowMs = deps.clock.now().getTime();
  const why = run.state.why ?? whyOver(run, nowMs);
  if (why !== undefined) return finish(run, why);
  const look = await lookAgain(run, nowMs);
  if (typeof look === "string") return finish(run, look);
  await take(run, look, nowMs);
  if (look.over === undefined) return false;
  deps.log.info({ follow: taken.id }, "what a followed log belongs to is over");
  return finish(run, look.over);
}

function whyOver({ taken, state }: Run, nowMs: number): string | undefined {
  if (taken.stoppedBy !== undefined) return `stopped by ${taken.stoppedBy}`;
  if (state.shown >= MOST_SHOWN)
    return `${MOST_SHOWN.toLocaleString("en-US")} lines are the most that one follow shows`;
  return nowMs - state.startedMs >= state.forMs ? "the time was over" : undefined;
}

/** Its requester may not read the log there any more. */
class Unreadable extends Error {}

/** Asked before lines are read, and before each message with some is sent. Throws `Unreadable`, or `RetryLater` when Slack can't say. */
async function reader({ deps, state, taken, signal }: Run): Promise<Context> {
  const origin = { ...state.origin, channelId: taken.channelId };
  try {
    const context = await contextFor(deps, { origin, effect: "read" }, signal);
    const isGone = context.asker.standing === "deactivated";
    if (isGone || (await refusedRead(logs, state.log.ask, context)) !== undefined) {
      throw new Unreadable(`${state.requester} may not read this log any more`);
    }
    if (!isDirect(origin.channelId) && (await hasLeft(deps, origin.channelId, origin.userId))) {
      throw new Unreadable(`${state.requester} left the channel`);
    }
    return context;
  } catch (error) {
    if (error instanceof SlackAway) throw new RetryLater(AGAIN_MS);
    // Without an account, and outside of a locked channel.
    if (error instanceof UserError) {
      throw new Unreadable(`${state.requester} can't read this log any more: ${error.message.replace(/\.$/u, "")}`);
    }
    throw error;
  }
}

/** What is new; a text when it ends instead. */
async function lookAgain(run: Run, nowMs: number): Promise<FollowLook | string> {
  const { state } = run;
  const look = await lookForLines(state.log, await reader(run)).catch((error: unknown) => failed(error));
  if (!(look instanceof Error)) return look;
  if (isRefused(look)) return `the workload API refuses the account: ${look.message}`;
  const sinceMs = state.failingSinceMs ?? nowMs;
  if (nowMs - sinceMs >= FAILING_FOR_MS) return "the log couldn't be read for 5 min";
  run.state = { ...state, failingSinceMs: sinceMs };
  throw new RetryLater(retryMs(look, nowMs - sinceMs));
}

/** Only what another look may not meet. */
function failed(error: unknown): Problem | UserError {
  if (error instanceof Problem || error instanceof UserError) return error;
  throw error;
}

function isRefused(error: Problem | UserError): boolean {
  return error instanceof Problem && (error.status === 401 || error.status === 403);
}

function retryMs(error: Problem | UserError, failingMs: number): number {
  const asked = error instanceof Problem ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(asked, Math.min(60_000, AGAIN_MS + failingMs / 2));
}

/** Stores what a look brought, then shows it. */
async function take(run: Run, look: FollowLook, nowMs: number): Promise<void> {
  const { state } = run;
  const { failingSinceMs: _, ...others } = state;
  const counts = { shown: state.shown + look.shown, skipped: state.skipped + look.skipped };
  run.state = { ...others, log: look.log, ...counts, quiet: look.text === "" ? state.quiet + 1 : 0 };
  if (look.text === "") return;
  const before = run.state.message;
  if (before !== undefined && hasRoom(before, look.text, nowMs)) {
    await save(run, { message: { ...before, text: `${before.text}\n${look.text}` }, isShown: false });
    await grow(run, look.text);
    return;
  }
  await save(run, { message: messageOf(look.text, run.state.how, nowMs), isShown: false });
  if (before?.how === "stream") await stopStream(run, before);
  await show(run);
}

function messageOf(text: string, how: Following["how"], startedMs: number): Grown {
  return { how, startedMs, steps: 0, text };
}

/** Whether it takes more lines; otherwise they go into a new message. */
function hasRoom({ ts, how, startedMs, steps, text }: Grown, added: string, nowMs: number): boolean {
  if (ts === undefined || how === "sealed" || text.length + 1 + added.length > MOST_TEXT) return false;
  return how === "edit" || (steps < MOST_STEPS && nowMs - startedMs < STREAMED_FOR_MS);
}

function cardOf({ taken }: Run, { ts = "" }: Grown): Card {
  return { channelId: taken.channelId, ts };
}

/** Adds lines to a message that shows the others. */
async function grow(run: Run, added: string): Promise<void> {
  const { message } = run.state;
  if (message === undefined) return;
  if (message.how !== "stream") return edit(run, message);
  await reader(run);
  const appended = await run.deps.sender.appendStream(cardOf(run, message), addedLines(added));
  if (appended.kind === "sent") return shown(run, { ...message, steps: message.steps + 1 });
  // What a stream doesn't take, an edit may.
  if (appended.kind === "blocked" && appended.by === "message") run.state = { ...run.state, how: "edit" };
  else if (appended.kind !== "sealed") return goOnWithout(run, appended, message);
  await repair(run, message);
}

/** Shows lines that are stored, in whatever state the message is that they belong to. */
async function show(run: Run): Promise<void> {
  const { message } = run.state;
  if (message === undefined) return shown(run, undefined);
  if (message.ts !== undefined) return repair(run, message);
  const begun = await begin(run, message);
  if (begun.how === "edit") return edit(run, begun);
  return grow(run, begun.text);
}

/** Posts the message without its lines, and stores where it is: a message whose confirmation is lost has none. */
async function begin(run: Run, message: Grown): Promise<Grown> {
  const { deps, taken, state } = run;
  await reader(run);
  const to = { place: taken.channelId, threadTs: state.origin.threadTs ?? taken.headTs ?? "" };
  const startedMs = deps.clock.now().getTime();
  if (state.how === "stream") {
    const { userId, teamId } = state.origin;
    const started = await deps.sender.startStream(to, { userId, teamId });
    if (started.kind === "later") throw new RetryLater(started.ms);
    if (started.kind === "sent") {
      const begun: Grown = { ...message, how: "stream", ts: started.value.ts, startedMs, steps: 0 };
      await save(run, { message: begun });
      return begun;
    }
    // A place or a person that takes no stream may take messages.
    run.state = { ...run.state, how: "edit" };
    await reader(run);
  }
  const posted = await deps.sender.post(to, followBegins(state.log.name));
  if (posted.kind !== "sent") return waitOrLeave(run, posted);
  const begun: Grown = { ...message, how: "edit", ts: posted.value.ts, startedMs };
  await save(run, { message: begun });
  return begun;
}

/** The message takes no more lines: those that it doesn't show get another one. Ends the follow where nothing passes any more. */
async function goOnWithout(run: Run, sent: Unsent, message: Grown): Promise<never> {
  if (sent.kind === "later" || (sent.kind === "blocked" && sent.by !== "message")) return waitOrLeave(run, sent);
  const left = message.text.slice(message.drawn ?? 0).replace(/^\n/u, "");
  const { message: _, ...others } = run.state;
  run.state = { ...others, isShown: left === "" };
  if (left !== "") run.state = { ...run.state, message: messageOf(left, run.state.how, message.startedMs) };
  // Stored with the pause: a message that is deleted again and again isn't posted again at once.
  throw new RetryLater(EVERY_MS);
}

type Unsent = Exclude<Sent<never>, { readonly kind: "sent" }>;

/** A token that Slack refuses may be renewed in seconds. */
function waitOrLeave(run: Run, sent: Unsent): Promise<never> {
  if (sent.kind === "later") throw new RetryLater(sent.ms);
  if (sent.kind === "blocked" && sent.by === "app") throw new RetryLater(AGAIN_MS);
  return leave(run);
}

/** Whatever Slack shows of it, the whole text takes its place: a stream is ended for that. */
async function repair(run: Run, message: Grown): Promise<void> {
  if (message.how === "stream") await stopStream(run, message);
  await edit(run, message.how === "stream" ? { ...message, how: "sealed" } : message);
}

/** Slack ends it by itself later, if this fails. */
async function stopStream(run: Run, message: Grown): Promise<void> {
  if (message.ts !== undefined) await run.deps.sender.stopStream(cardOf(run, message));
}

async function edit(run: Run, message: Grown): Promise<void> {
  const { deps, state } = run;
  await reader(run);
  const updated = await deps.sender.update(cardOf(run, message), followLines(state.log.name, message.text));
  if (updated.kind !== "sent") return goOnWithout(run, updated, message);
  shown(run, message);
}

/** Stored at the end of the step. */
function shown(run: Run, message: Grown | undefined): void {
  const { message: _, ...others } = run.state;
  const drawn = message && { message: { ...message, drawn: message.text.length } };
  run.state = { ...others, ...drawn, isShown: true };
}

/** Its thread or channel is gone. */
async function leave(run: Run): Promise<never> {
  await over(run, "I can't post in this thread any more");
  throw new LeaseLost();
}

/** Says in the thread that it is over, then removes it. True when it is over; until then any replica tries again. */
async function finish(run: Run, why: string): Promise<boolean> {
  const { deps, taken } = run;
  await save(run, { why });
  const { message, startedMs, forMs, log, origin } = run.state;
  const isLate = deps.clock.now().getTime() - startedMs - forMs > DRAWN_WITHIN_MS;
  if (message?.ts !== undefined && !isLate) {
    if (message.how === "stream") await stopStream(run, message);
    const end = `${why.slice(0, 1).toUpperCase()}${why.slice(1)}.`;
    const last = message.text === "" ? followOver(log.name, end) : followLines(log.name, message.text, end);
    const ended = await deps.sender.update(cardOf(run, message), last);
    if (ended.kind === "later") throw new RetryLater(ended.ms);
    if (ended.kind === "gone" || (ended.kind === "blocked" && ended.by === "message")) {
      const to = { place: taken.channelId, threadTs: origin.threadTs ?? taken.headTs ?? "" };
      const said = await deps.sender.post(to, followOver(log.name, end));
      if (said.kind === "later" && !said.isMaybeSent) throw new RetryLater(said.ms);
    }
  }
  await over(run, why);
  return true;
}

/** The message with the Stop button says it as soon as Slack takes that. */
async function over({ deps, taken, state }: Run, why: string): Promise<void> {
  const { headTs: ts, channelId, teamId } = taken;
  const afterMs = Math.min(deps.clock.now().getTime() - state.startedMs, state.forMs);
  const { shown: lines, skipped } = state;
  const end = { ...factsOf({ taken, state }), why, afterMs, shown: lines, skipped };
  const { account, userId: by } = state.origin;
  const head = ts === undefined ? undefined : endedHead(teamId, { end, by, account, head: { channelId, ts } });
  await deps.store.endFollow(taken.due, head);
  deps.wake();
}

function factsOf({ taken, state }: Pick<Run, "taken" | "state">) {
  const { log, requester, forMs } = state;
  return { id: taken.id, ask: log.ask, name: log.name, requester, forMs };
}

/** Less often the more there are, the quieter the log is, and where the workload API isn't ours. */
async function pauseOf({ deps, taken, state }: Run): Promise<number> {
  const isOurs = (await deps.api.engine()) !== undefined;
  const least = Math.max(isOurs ? EVERY_MS : EVERY_MS_ELSEWHERE, EVERY_MS_EACH * taken.count);
  const most = Math.max(least, isOurs ? QUIETEST_MS : QUIETEST_MS_ELSEWHERE);
  return Math.min(most, least * QUIETER ** state.quiet);
}

function sealOf({ sealer }: Pick<WorkflowParts, "sealer">, id: string, state: Following): string {
  return sealer.seal(JSON.stringify(state), ["follow", id]);
}

function openState(
  { sealer }: Pick<WorkflowParts, "sealer">,
  { id, sealed }: Pick<TakenFollow, "id" | "sealed">,
): Following | undefined {
  try {
    return Following.parse(JSON.parse(sealer.open(sealed, ["follow", id])));
  } catch {
    return undefined;
  }
}
