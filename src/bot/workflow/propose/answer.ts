import type { Ask } from "../../ask.ts";
import { Problem } from "../../../api/problem.ts";
import { annotate, inSpan } from "../../../platform/trail.ts";
import type { Context, ReadCommand } from "../../commands/command.ts";
import { ReadRefused } from "../../commands/lookup/may-see.ts";
import { actions, askButton, type Block } from "../../views/kit/blocks.ts";
import { type Message, messageFor, numbered, withContextLine } from "../../views/kit/post.ts";
import { contextFor } from "../access/context.ts";
import { failureMessage, type ReadAnswer } from "../reply.ts";
import { refusedPost } from "../history.ts";
import { startFollow, unfollow } from "../watching/log-follow.ts";
import { unfollowed } from "../../commands/verbs/logs/following.ts";
import { type Origin, isDirect } from "../origin.ts";
import { type WorkflowParts, freshness } from "../ports.ts";
import { type Refused, refusedRead } from "../../commands/lookup/authorize.ts";
import { bindingInWords } from "../../policy/binding.ts";
import { UserError } from "../../errors.ts";
import { type StatusFor, statusMessage } from "../../views/messages/status-message.ts";
import { isBotIn } from "../access/approvers.ts";

type Read = { readonly command: ReadCommand; readonly ask: Ask; readonly origin: Origin };

/** Undefined: what it asked for is a message of its own, such as a log that is followed. */
export async function answerRead(
  deps: WorkflowParts,
  { command, ask, origin: place }: Read,
  signal: AbortSignal,
): Promise<ReadAnswer | undefined> {
  annotate({ verb: command.name });
  let origin = isAboutWorkloads(command) ? place : { ...place, account: undefined };
  try {
    const context = await contextFor(deps, { origin, effect: "read" }, signal);
    origin = { ...origin, account: context.account.username };
    const refused = await inSpan("policy", () => refusedRead(command, ask, context));
    if (refused !== undefined) return await refuse(deps, { command, ask, origin }, { context, refused });
    const region = ask.region ?? context.settings.region;
    const follow = await command.follow?.({ ...ask, region }, context).catch((error: unknown) => refusedIn(error));
    if (follow !== undefined && "refusal" in follow) {
      return await refuse(deps, { command, ask, origin }, { context, refused: follow });
    }
    if (follow !== undefined) {
      const message = await startFollow(deps, { ...follow, origin, context }, signal);
      return message && { kind: "beside", message };
    }
    const ending = await command.unfollow?.(ask, context);
    const ended = ending === undefined ? [] : await unfollow(deps, { ...ending, origin, context });
    if (ended.length > 0) return { kind: "answer", message: unfollowed(ended), isShared: ask.share };
    const answer = await answerHere(command, ask, context).catch((error: unknown) => refusedIn(error));
    if ("refusal" in answer) return await refuse(deps, { command, ask, origin }, { context, refused: answer });
    const message = messageFor(context.account.username, answer);
    const read = { command, ask, origin };
    const inDirect = isDirect(origin.channelId) ? undefined : () => answerInDirect(deps, read, signal);
    return { kind: "answer", message, isShared: ask.share, inDirect };
  } catch (error) {
    const where = { verb: command.name, effect: command.effect };
    const { text, blocks } = failureMessage(deps, error, where);
    const buttons = numbered(command.onFailure?.(ask, error) ?? tryAgain(ask, error));
    const message = { text, blocks: [...blocks, ...buttons] };
    return { kind: "beside", message: origin.account === undefined ? message : messageFor(origin.account, message) };
  }
}

/** Reads again in the person's direct message: policy, account and lock are those of a place. */
async function answerInDirect(
  deps: WorkflowParts,
  { command, ask, origin: { userId, teamId, account } }: Read,
  signal: AbortSignal,
): Promise<Message> {
  const answer = await answerRead(
    deps,
    { command, ask, origin: { userId, teamId, channelId: userId, account } },
    signal,
  );
  if (answer === undefined) throw new Error("a read that was answered follows a log now");
  return answer.message;
}

/** A button where the message says to try again. */
function tryAgain(ask: Ask, error: unknown): Block[] {
  return error instanceof Problem && /^Try again(?:\.| in )/u.test(error.next)
    ? actions(askButton("Try again", ask))
    : [];
}

/** Other verbs, such as `history`, read nothing with an account. */
function isAboutWorkloads({ actions }: Read["command"]): boolean {
  return actions.length > 0;
}

/** Buttons of the answer keep its region, even if another person clicks them or the default changes. */
async function answerHere(command: ReadCommand, ask: Read["ask"], context: Context): Promise<Message> {
  const askHere = isAboutWorkloads(command) ? { ...ask, region: ask.region ?? context.settings.region } : ask;
  const answer = await command.answer(askHere, context);
  const line = contextLine(command, ask, context);
  return line === undefined ? answer : withContextLine(answer, line);
}

/** Handles a result that the person may not see; rethrows any other error. */
function refusedIn(error: unknown): Refused {
  if (!(error instanceof ReadRefused)) throw error;
  const { kind, region, name } = error.about.workload;
  return { refusal: error.refusal, workload: name === undefined ? undefined : { kind, region, name } };
}

type Refusing = { readonly context: Context; readonly refused: Refused };

async function refuse(
  deps: WorkflowParts,
  { command, origin }: Read,
  { context, refused }: Refusing,
): Promise<ReadAnswer> {
  const { asker: who, account } = context;
  const attempt = { ...refused, verb: command.name, origin, who, account: account.username };
  return { kind: "beside", message: await refusedPost(deps, attempt) };
}

/** A line below an answer that names the account, binding or default region it depended on; undefined if none. Pure. */
export function contextLine(command: ReadCommand, ask: Ask, context: Context): string | undefined {
  const { account, binding, settings, defaultRegion } = context;
  const about = command.about(ask, settings);
  if (about === undefined && command.name !== "whoami") return undefined;
  const whose = account.isUsual ? undefined : `Account: ${account.username}`;
  const { kind, name } = about?.workload ?? {};
  const region = kind === "job" ? undefined : (ask.region ?? settings.region);
  if (binding?.region === undefined && region !== undefined && region === settings.region && region !== defaultRegion) {
    return lines(whose, boundLine(context, { region, name }), `Your default region: ${region}`);
  }
  return lines(whose, boundLine(context, { region, name }));
}

function lines(...all: readonly (string | undefined)[]): string | undefined {
  const said = all.filter((each) => each !== undefined);
  return said.length === 0 ? undefined : said.join(" · ");
}

type Meant = { readonly region: string | undefined; readonly name: string | undefined };

function boundLine({ binding }: Context, { region, name }: Meant): string | undefined {
  if (binding === undefined) return undefined;
  const { account, names, isLocked } = binding;
  const used = {
    account,
    region: binding.region === region ? region : undefined,
    // A name that was typed is not chosen by a pattern, but it was held against one that is locked.
    names: name === undefined || isLocked ? names : undefined,
  };
  const isUsed = Object.values(used).some((each) => each !== undefined);
  return isUsed ? `This channel: ${bindingInWords({ ...used, isLocked })}` : undefined;
}

/** Needs neither the database nor an account, because people ask when something is broken. */
export async function answerStatus(deps: WorkflowParts, ask: Ask, origin: Origin): Promise<ReadAnswer> {
  const [findings, details, outside] = await Promise.all([
    deps.checkup(),
    detailsFor(deps, ask, origin),
    outsideOf(deps, origin),
  ]);
  const message = statusMessage({ findings, details, outside, command: deps.settings.command });
  return { kind: "answer", message, isShared: ask.share };
}

/** Details name machines and errors: only admins see them, and never a whole channel. */
async function detailsFor({ people }: WorkflowParts, ask: Ask, origin: Origin): Promise<StatusFor["details"]> {
  if (ask.share) return "shared";
  try {
    const { isAdmin } = await people.profile(origin.userId, freshness.profile);
    return isAdmin ? "shown" : "others";
  } catch (error) {
    if (error instanceof UserError) return "unchecked";
    throw error;
  }
}

async function outsideOf({ people }: WorkflowParts, { channelId }: Origin): Promise<StatusFor["outside"]> {
  if (isDirect(channelId)) return undefined;
  try {
    const isIn = await isBotIn(people, channelId, freshness.reading);
    return isIn ? undefined : { channelId, botName: people.bot().name };
  } catch (error) {
    // The lines about Slack say what is wrong.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
