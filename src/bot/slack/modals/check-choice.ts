import { setTimeout as sleep } from "node:timers/promises";
import type { Ask } from "../../ask.ts";
import type { Context, ReadCommand } from "../../commands/command.ts";
import { regionOf, Target } from "../../commands/grammar/argument-types.ts";
import { refusedRead } from "../../commands/lookup/authorize.ts";
import { findWorkload } from "../../commands/lookup/find.ts";
import { ReadRefused } from "../../commands/lookup/may-see.ts";
import { Problem } from "../../../api/problem.ts";
import { UserError } from "../../errors.ts";
import { checkChosen, contextFor } from "../../workflow/access/context.ts";
import type { Origin } from "../../workflow/origin.ts";
import type { DepsOf } from "../deps-of.ts";

export type CheckDeps = DepsOf<typeof contextFor>;

type Choice = { readonly command: ReadCommand; readonly ask: Ask; readonly origin: Origin };
type Errors = Readonly<Record<string, string>>;

/** Slack gives the ack three seconds, and only the ack can show an error under a field. */
const WITHIN_MS = 1_500;

/**
 * What is wrong with the channel or the workload that a read's form names, by field; nothing when that can't be told in
 * time. The form would otherwise close, and the typed name be lost.
 */
export async function wrongChoices(deps: CheckDeps, choice: Choice): Promise<Errors> {
  const control = new AbortController();
  const late = sleep(WITHIN_MS, {}, { signal: control.signal, ref: false }).catch(() => ({}));
  const wrong = await Promise.race([look(deps, choice, control.signal), late]);
  control.abort();
  return wrong;
}

/** Anything else that fails is told by the answer itself. */
async function look(deps: CheckDeps, choice: Choice, signal: AbortSignal): Promise<Errors> {
  const channel = await whyNot(() => checkChosen(deps.people, choice.origin));
  if (channel !== undefined) return { channel };
  try {
    const context = await contextFor(deps, { origin: choice.origin, effect: "read" }, signal);
    const name = await wrongName(choice, context);
    return name === undefined ? {} : { name };
  } catch {
    return {};
  }
}

async function wrongName({ command, ask }: Choice, context: Context): Promise<string | undefined> {
  const { actions } = command;
  const target = Target.safeParse(ask.args["name"]).data;
  if (target === undefined || actions.length === 0) return undefined;
  const region = ask.region ?? context.settings.region;
  if (isListed(target, region, context) || (await refusedRead(command, ask, context)) !== undefined) return undefined;
  return whyNot(() => findWorkload(target, { ...context, ask, actions, sends: [], region }));
}

/** The picker has just read the lists, so a name from it costs no call. */
function isListed({ kind, name }: Target, region: string, { directory, account, settings }: Context): boolean {
  if (kind === undefined) return false;
  return directory.names(account.username, kind, regionOf(kind, region, settings))?.includes(name) === true;
}

async function whyNot(check: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof Problem || error instanceof ReadRefused) return undefined;
    if (error instanceof UserError) return [error.message, error.next ?? ""].join(" ").replaceAll("`", "").trim();
    throw error;
  }
}
