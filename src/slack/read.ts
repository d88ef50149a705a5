import { StoreError, UserError } from "../errors.ts";
import type { Context, ReadCommand } from "../commands/command.ts";
import { outsideLock } from "../policy/binding.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { Message } from "../views/message.ts";
import { refusalMessage } from "../views/refusal-message.ts";
import { withContextLine } from "../views/with-context-line.ts";
import { contextLine } from "./context-line.ts";
import { contextFor } from "./context.ts";
import { logEvent, placeEvent } from "./event.ts";
import { failureMessage } from "./failure.ts";
import { freshness } from "./people.ts";
import type { Asked, Shell } from "./shell.ts";

type Read = Asked & { readonly command: ReadCommand };

/** Answers a read, after its ack. A failure takes nothing away: it is said beside a list that was clicked in. */
export async function answerRead(shell: Shell, { command, ask, place }: Read, signal: AbortSignal): Promise<void> {
  try {
    const context = await contextFor(shell, { place, effect: "read" }, signal);
    await checkStanding(shell, { command, ask, place });
    const refusal = await refusalOf(shell, { command, ask, place }, context);
    if (refusal !== undefined) return await shell.poster.tell(refusal, place);
    const answer = await answerHere(command, ask, context);
    return await shell.poster.post(answer, place, { isShared: ask.share });
  } catch (error) {
    const where = { verb: command.name, effect: command.effect };
    return shell.poster.tell(failureMessage(shell, error, where), place);
  }
}

/** The buttons of the answer go on in the region that was meant, whoever clicks them, and whatever is meant by then. */
async function answerHere(command: ReadCommand, ask: Read["ask"], context: Context): Promise<Message> {
  const isAboutWorkloads = command.deeds.length > 0;
  const askHere = isAboutWorkloads ? { ...ask, region: ask.region ?? context.settings.region } : ask;
  const answer = await command.answer(askHere, context);
  const line = contextLine(command, ask, context);
  return line === undefined ? answer : withContextLine(answer, line);
}

/** What nobody needs a rule for: everybody may learn what Gantry is and what they may do; the rest is for full members. */
const forEverybody = new Set(["help", "whoami", "can-i"]);

async function checkStanding({ people }: Shell, { command, place }: Read): Promise<void> {
  if (command.deeds.length > 0 || forEverybody.has(command.name)) return;
  const { standing } = await people.profile(place.userId, freshness.reading);
  if (standing === "member") return;
  throw new UserError("Only full members of this workspace can see what was asked for and done here.", {
    next: "Ask a full member.",
  });
}

async function refusalOf(shell: Shell, read: Read, context: Context): Promise<Message | undefined> {
  const { settings, judge, binding } = context;
  const about = read.command.about(read.ask, settings);
  if (about === undefined) return undefined;
  // Before any rule, which has no part in it.
  const outside = binding === undefined ? undefined : outsideLock(binding, about.workload);
  if (outside !== undefined) {
    await note(shell, read, { context, verdict: { kind: "refuse", rule: undefined, ...outside } });
    throw new UserError(outside.why, { next: outside.next });
  }
  const verdict = refusalIn(await judge.verdict(about));
  if (verdict === undefined) return undefined;
  await note(shell, read, { context, verdict });
  return refusalMessage({ kind: "policy", verdict, command: settings.command });
}

type Refused = Extract<Verdict, { kind: "refuse" }>;

function refusalIn(verdict: Verdict): Refused | undefined {
  if (verdict.kind === "allow") return undefined;
  if (verdict.kind === "refuse") return verdict;
  // A rule that asks for approval of a look is taken for a refusal: there is nothing to approve later.
  const why = "Looking at this takes an approval by the policy here, and a look cannot wait for one.";
  const next = "Ask those who keep the policy to allow or refuse it.";
  return { kind: "refuse", rule: verdict.rule, why, next };
}

type Noted = { readonly context: Context; readonly verdict: Refused };

/** History knows what was refused; a database that is away does not keep the person from being told. */
async function note(shell: Shell, { command, ask, place }: Read, { context, verdict }: Noted): Promise<void> {
  const { kind, region, name: workload } = command.about(ask, context.settings)?.workload ?? {};
  const event = placeEvent(place, context.asker, {
    kind: "refused",
    verb: command.name,
    // Of a bare name nobody knows what it is.
    workload: workload === undefined ? undefined : { kind: kind ?? "workload", region: region ?? "", name: workload },
    account: context.account.username,
    rule: verdict.rule,
    result: verdict.why,
  });
  try {
    await shell.store.addEvent(event);
    logEvent(shell, event);
  } catch (err) {
    if (!(err instanceof StoreError)) throw err;
    shell.log.warn({ err }, "a look that was refused could not be written into history");
  }
}
