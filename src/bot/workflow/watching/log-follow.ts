import { randomUUID } from "node:crypto";
import { z } from "zod";
import { Problem, refusesAccount } from "../../../api/problem.ts";
import type { Card } from "../../changes/stored-change.ts";
import type { Context } from "../../commands/command.ts";
import { refusedRead } from "../../commands/lookup/authorize.ts";
import { type LogPoll, FollowedLog } from "../../commands/verbs/logs/log-answers.ts";
import { pollLog } from "../../commands/verbs/logs/followed-log.ts";
import { followOpening, stopWhat } from "../../commands/verbs/logs/following.ts";
import { logs } from "../../commands/verbs/logs/logs.ts";
import { stop } from "../../commands/verbs/power.ts";
import type { Target } from "../../commands/grammar/argument-types.ts";
import type { Unfinished } from "../../commands/grammar/parse.ts";
import type { Message } from "../../views/kit/post.ts";
import { capital } from "../../views/kit/text.ts";
import { StoreError, UserError } from "../../errors.ts";
import { inviteHint, sentences } from "../../views/messages/sentences.ts";
import { contextFor } from "../access/context.ts";
import { failureMessage } from "../reply.ts";
import { type Due, dueKinds } from "../due-kinds.ts";
import { type DueEnd, LeaseLost } from "../due.ts";
import { isDirect, type Origin } from "../origin.ts";
import type { NewPost } from "../posts.ts";
import type { FollowLimits, FollowMessages, TakenFollow } from "../stored.ts";
import type { WorkflowParts } from "../ports.ts";
import { followReader, FollowOrigin, headOf, linesOf } from "./follow-posts.ts";

// A log that is followed into a thread. Each poll stores its lines, the position in the log and the messages that show them together:
// the deliverer sends and redraws those from the store. Between two polls nothing runs.

const Following = z.object({
  log: FollowedLog,
  origin: FollowOrigin,
  requester: z.string(),
  startedMs: z.number(),
  forMs: z.number(),
  /** The message with lines that grows: its number, and all lines that it shows or will show. */
  block: z.object({ number: z.number(), text: z.string() }).optional(),
  /** The same as an earlier version wrote it, and where it was. */
  message: z.object({ ts: z.string().optional(), text: z.string() }).optional(),
  /** Its messages are rows of `post`; undefined in one of an earlier version. */
  isPosted: z.boolean().optional(),
  shown: z.number(),
  skipped: z.number(),
  /** Polls in a row without new lines. */
  quiet: z.number(),
  /** Since when nothing could be read. */
  failingSinceMs: z.number().optional(),
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
/** So that a message fits into one text block. */
const MOST_TEXT = 3_400;
/** Lines of one follow. */
const MOST_SHOWN = 2_000;
/** A follow ends after the workload API, or Slack, has failed for this long. */
const FAILING_FOR_MS = 5 * 60_000;
const AGAIN_MS = 5_000;

export type NewFollow = { readonly poll: LogPoll; readonly forMs: number };

type Begin = NewFollow & { readonly origin: Origin; readonly context: Context };

/**
 * Begins to follow a log where it was asked for: stored first, then a message with a Stop button, with the newest lines in its
 * thread. Resolves to a hint for whoever asked where the bot isn't invited. Throws a `UserError` when there are too many, or the bot
 * can't post there.
 */
export async function startFollow(
  deps: WorkflowParts,
  { poll, forMs, origin, context }: Begin,
  signal: AbortSignal,
): Promise<Message | undefined> {
  const { userId, teamId, channelId, threadTs } = origin;
  const nowMs = deps.clock.now().getTime();
  const state: Following = {
    log: poll.log,
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
    ...(poll.text !== "" && { block: { number: 1, text: poll.text } }),
    isPosted: true,
    shown: poll.shown,
    skipped: 0,
    quiet: 0,
  };
  const id = randomUUID();
  const row = { id, teamId, channelId, requesterId: userId, sealed: sealOf(deps, id, state) };
  const begun = await deps.store.beginFollow({ ...row, limits, leaseMs: dueKinds.follow.leaseMs });
  if (begun.kind === "full") {
    throw new UserError(tooManyWords[begun.by], {
      next: "End one with its Stop following button, or wait until it ends.",
    });
  }
  const { due } = begun;
  const allowed = await followReader(deps, { ...state, ask: state.log.ask }, signal);
  const to = { place: channelId, ...(threadTs !== undefined && { threadTs }) };
  const posted = allowed.kind === "may" ? await deps.sender.post(to, followOpening(state.log)) : undefined;
  if (posted?.kind === "sent") {
    const taken = {
      ...row,
      channelId: posted.value.channelId,
      due,
      headTs: posted.value.ts,
      stoppedBy: undefined,
      count: 1,
    };
    const run: Run = { deps, taken, state, signal };
    await rest(run, await pauseOf(run), { posts: [headPost(run), ...blockPosts(run)] });
    return undefined;
  }
  // Slack took no message, so the requester gets the reason.
  await deps.store.endFollow(due, {});
  if (posted?.kind === "blocked" && posted.by === "invitation" && !isDirect(channelId)) {
    return inviteHint(channelId, deps.people.bot().name);
  }
  if (allowed.kind === "may" && posted?.kind !== "later") {
    throw new UserError("I can't post here, so I can't follow a log.", {
      next: "Ask in a channel that I'm in, or in your direct message with me.",
    });
  }
  if (allowed.kind === "mayNot") throw new UserError(`${allowed.why}, so it isn't followed.`);
  throw new UserError("Slack didn't confirm my message, so the log isn't followed.", {
    next: "Try again in a minute.",
  });
}

const tooManyWords = {
  person: `You already follow ${limits.perPerson} logs.`,
  channel: `${limits.perChannel} logs are already followed in this channel.`,
  workspace: `${limits.perWorkspace} logs are already followed in this workspace.`,
} as const; // literal keys

/** Polls a followed log. */
export async function followOn(deps: WorkflowParts, due: Due, signal: AbortSignal): Promise<DueEnd> {
  const taken = await deps.store.followOf(due);
  if (taken === undefined) return "done";
  const state = openState(deps, taken);
  // Its state can't be read (another version, or its key is gone), or its first message was never posted.
  if (state === undefined || taken.headTs === undefined) await deps.store.endFollow(due, {});
  else await poll({ deps, taken, state, signal });
  return "ended";
}

/** Ends a follow for somebody who may read the log. Answers only failures: its messages show a success. */
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

/** Context of one poll. */
type Run = {
  readonly deps: WorkflowParts;
  readonly signal: AbortSignal;
  readonly taken: TakenFollow;
  state: Following;
};

/** One poll. Ends the lease. Throws `LeaseLost`. */
async function poll(run: Run): Promise<void> {
  const { state } = run;
  try {
    await pollOnce(run);
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof StoreError) throw error;
    // Lines that were read but not stored with a message are read again.
    run.state = state;
    // No caller waits for the poll: the next one may work, and what can't go on for long ends.
    run.deps.log.error({ err: error }, "a step of following a log failed");
    await rest(run, AGAIN_MS);
  }
}

/** Stores the state with its messages, and ends the lease until the next poll. */
async function rest({ deps, taken, state }: Run, ms: number, messages: FollowMessages = {}): Promise<void> {
  const { due, headTs, id } = taken;
  const saved = { sealed: sealOf(deps, id, state), headTs, nextMs: Math.max(EVERY_MS, Math.round(ms)), ...messages };
  if (!(await deps.store.saveFollow(due, saved))) throw new LeaseLost();
}

async function pollOnce(run: Run): Promise<void> {
  const { deps, taken, signal } = run;
  const nowMs = deps.clock.now().getTime();
  if (run.state.isPosted !== true) return adopt(run);
  const block = await blockOf(run);
  const why = whyOver(run, nowMs);
  if (why !== undefined) return finish(run, why, block);
  if (signal.aborted || block.kind === "pending") return rest(run, EVERY_MS);
  if (block.kind === "closed") return finish(run, "I can't post in this thread any more");
  if ((await deps.store.postOf({ key: taken.id, teamId: taken.teamId })) === undefined) {
    return finish(run, "its first message was deleted", block);
  }
  const allowed = await followReader(
    deps,
    { ...run.state, ask: run.state.log.ask, channelId: taken.channelId },
    signal,
  );
  if (allowed.kind === "unknown") return rest(run, AGAIN_MS);
  // What Slack hasn't shown yet is not for those readers any more.
  if (allowed.kind === "mayNot") return finish(run, allowed.why);
  const found = await pollLog(run.state.log, allowed.context).catch((error: unknown) => failed(error));
  if (found instanceof Error) return again(run, found, nowMs);
  const before = run.state.block;
  take(run, found, block);
  const isFull = before !== undefined && before.number !== run.state.block?.number;
  const gone = isFull && block.kind === "stuck" ? linesId(run, before.number) : undefined;
  const full = isFull && gone === undefined && before.text !== "" ? [linesPost(run, before, { isLast: true })] : [];
  if (found.over !== undefined) {
    deps.log.info({ follow: taken.id }, "what a followed log belongs to is over");
    return finish(run, found.over, { kind: "shown" }, { posts: full, ...(gone !== undefined && { gone }) });
  }
  const isGrown = found.text !== "" || isFull;
  await rest(run, await pauseOf(run), {
    posts: [...full, ...(isGrown ? blockPosts(run) : [])],
    ...(gone !== undefined && { gone }),
  });
}

/** How the message with the newest lines is. */
type Block =
  /** There is none, or Slack shows all of it. */
  | { readonly kind: "shown" }
  /** Slack doesn't show all of it yet. */
  | { readonly kind: "pending" }
  /** It can't be edited any more: these lines aren't shown. */
  | { readonly kind: "stuck"; readonly left: string }
  /** Slack has taken no message there for a while. */
  | { readonly kind: "closed" };

async function blockOf(run: Run): Promise<Block> {
  const { deps, taken, state } = run;
  if (state.block === undefined) return { kind: "shown" };
  const { number, text } = state.block;
  const post = await deps.store.postOf({ key: linesId(run, number), teamId: taken.teamId });
  // Its message is forgotten, as after a restore: what it shows stays, and new lines get another one.
  if (post === undefined) run.state = { ...state, block: { number, text: "" } };
  const drawn = Number(post?.listed[0] ?? 0);
  if (post === undefined || drawn >= text.length) return { kind: "shown" };
  const { blockedAt } = post;
  if (blockedAt === undefined) return { kind: "pending" };
  if (post.card !== undefined) return { kind: "stuck", left: text.slice(drawn).replace(/^\n/u, "") };
  return { kind: deps.clock.now().getTime() - blockedAt.getTime() < FAILING_FOR_MS ? "pending" : "closed" };
}

/** A follow that an earlier version began: its messages become rows of `post`. */
async function adopt(run: Run): Promise<void> {
  const { message, ...others } = run.state;
  run.state = { ...others, isPosted: true, ...(message && { block: { number: 1, text: message.text } }) };
  const { channelId } = run.taken;
  const card = message?.ts === undefined ? undefined : { channelId, ts: message.ts };
  await rest(run, EVERY_MS, { posts: [headPost(run), ...blockPosts(run, { card })] });
}

function whyOver({ taken, state }: Run, nowMs: number): string | undefined {
  if (taken.stoppedBy !== undefined) return `stopped by ${taken.stoppedBy}`;
  if (state.shown >= MOST_SHOWN)
    return `${MOST_SHOWN.toLocaleString("en-US")} lines are the most that one follow shows`;
  return nowMs - state.startedMs >= state.forMs ? "the time was over" : undefined;
}

async function again(run: Run, error: Problem | UserError, nowMs: number): Promise<void> {
  if (error instanceof Problem && refusesAccount(error)) {
    return finish(run, `the workload API refuses the account: ${error.message}`);
  }
  const sinceMs = run.state.failingSinceMs ?? nowMs;
  if (nowMs - sinceMs >= FAILING_FOR_MS) return finish(run, "the log couldn't be read for 5 min");
  run.state = { ...run.state, failingSinceMs: sinceMs };
  const asked = error instanceof Problem ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return rest(run, Math.max(asked, Math.min(60_000, AGAIN_MS + (nowMs - sinceMs) / 2)));
}

/** Errors that the next poll may not meet; throws any other. */
function failed(error: unknown): Problem | UserError {
  if (error instanceof Problem || error instanceof UserError) return error;
  throw error;
}

/** Adds the lines of a poll to the newest message, or begins another one. */
function take(run: Run, { log, shown, skipped, text }: LogPoll, before: Block): void {
  const { failingSinceMs: _, block, ...others } = run.state;
  const counts = { shown: others.shown + shown, skipped: others.skipped + skipped };
  const left = before.kind === "stuck" ? before.left : "";
  const lines = [left, text].filter((some) => some !== "").join("\n");
  const hasRoom =
    block !== undefined && block.text !== "" && left === "" && block.text.length + 1 + lines.length <= MOST_TEXT;
  const added = hasRoom
    ? { ...block, text: `${block.text}\n${lines}` }
    : { number: (block?.number ?? 0) + 1, text: lines };
  const next = lines === "" ? block : added;
  run.state = { ...others, log, ...counts, quiet: text === "" ? others.quiet + 1 : 0, ...(next && { block: next }) };
}

/** Ends it. Its messages say so as soon as Slack takes that; without a block, only the first one does. */
async function finish(run: Run, why: string, block?: Block, others: FollowMessages = {}): Promise<void> {
  const { deps, taken, state } = run;
  const { number = 0 } = state.block ?? {};
  const afterMs = Math.min(deps.clock.now().getTime() - state.startedMs, state.forMs);
  const { shown, skipped } = state;
  const end = `${capital(why)}.`;
  const left = block?.kind === "stuck" ? block.left : "";
  if (left !== "") run.state = { ...state, block: { number: number + 1, text: left } };
  const head = headPost(run, { why, afterMs, shown, skipped });
  await deps.store.endFollow(taken.due, {
    ...others,
    ...((block === undefined || left !== "") && { gone: linesId(run, number) }),
    posts: [head, ...(others.posts ?? []), ...(block === undefined ? [] : blockPosts(run, { end, isLast: true }))],
  });
}

function linesId({ taken }: Pick<Run, "taken">, number: number): string {
  return `${taken.id}/${number}`;
}

/** What the message says once the follow is over. */
type Over = Required<Pick<Parameters<typeof headOf>[2], "why" | "afterMs" | "shown" | "skipped">>;

function headPost({ taken, state }: Run, end?: Over): NewPost {
  const { id, channelId, teamId, headTs = "" } = taken;
  const { log, requester, forMs, origin } = state;
  const facts = { id, ask: log.ask, name: log.name, requester, forMs, by: origin.userId, account: origin.account };
  return headOf(teamId, { channelId, ts: headTs }, { ...facts, ...end });
}

type Grows = { readonly card?: Card | undefined; readonly end?: string; readonly isLast?: true };

function linesPost(run: Run, { number, text }: NonNullable<Following["block"]>, grows: Grows = {}): NewPost {
  const { taken, state } = run;
  const { log, requester, origin } = state;
  const { card, end, isLast = false } = grows;
  const { channelId, headTs = "" } = taken;
  const lines = {
    ask: log.ask,
    name: log.name,
    requester,
    origin,
    by: origin.userId,
    text,
    isLast,
    ...(end !== undefined && { end }),
  };
  return linesOf(linesId(run, number), { ...lines, threadTs: origin.threadTs ?? headTs }, { channelId, card });
}

function blockPosts(run: Run, grows: Grows = {}): readonly NewPost[] {
  const { block } = run.state;
  return block === undefined || block.text === "" ? [] : [linesPost(run, block, grows)];
}

/** Less often the more there are, the quieter the log is, and where the workload API isn't ours. */
async function pauseOf({ deps, taken, state }: Run): Promise<number> {
  const isOurs = (await deps.api.engine()) !== undefined;
  const least = Math.max(isOurs ? EVERY_MS : EVERY_MS_ELSEWHERE, EVERY_MS_EACH * taken.count);
  const most = Math.max(least, isOurs ? QUIETEST_MS : QUIETEST_MS_ELSEWHERE);
  return Math.min(most, least * QUIETER ** state.quiet);
}

function sealOf({ sealer }: WorkflowParts, id: string, state: Following): string {
  return sealer.seal(JSON.stringify(state), ["follow", id]);
}

function openState(
  { sealer }: WorkflowParts,
  { id, sealed }: Pick<TakenFollow, "id" | "sealed">,
): Following | undefined {
  try {
    return Following.parse(JSON.parse(sealer.open(sealed, ["follow", id])));
  } catch {
    return undefined;
  }
}
