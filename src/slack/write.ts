import { runChange } from "../changes/run.ts";
import type { WriteCommand } from "../commands/command.ts";
import type { Settled } from "../store/run-row.ts";
import type { Message } from "../views/message.ts";
import { outcomeMessage } from "../views/outcome-message.ts";
import { failureMessage } from "./failure.ts";
import { sentences } from "./sentence.ts";
import { contextFor, type Asked, type Shell } from "./shell.ts";

type Write = Asked & { readonly command: WriteCommand; readonly runId: string };

/** Does a stored write, after its ack: what would change, claim, send, read back, settle, say. */
export async function doWrite(shell: Shell, write: Write, signal: AbortSignal): Promise<void> {
  const { place, runId, ask } = write;
  const end = await attempt(shell, write, signal);
  if (end === undefined) return;
  try {
    await shell.store.settleRun(runId, { state: end.state, at: shell.now() });
  } catch (err) {
    // The person is told all the same; the next start finds the row open and says that it cannot tell.
    shell.log.error({ err, runId, state: end.state }, "the end of a run could not be stored");
  }
  await shell.poster.post(end.message, place, { isShared: ask.share && end.state !== "refused" });
}

type End = { readonly state: Settled; readonly message: Message };

async function attempt(shell: Shell, write: Write, signal: AbortSignal): Promise<End | undefined> {
  const { command, ask, place, runId } = write;
  const { settings, store } = shell;
  const context = contextFor(shell, { place }, signal);
  let isClaimed = false;
  try {
    const change = await command.propose(ask, context);
    const { region, kind, name } = change.workload;
    await store.aimRun(runId, { region, kind, name });
    const outcome = await runChange(change, {
      api: context.api,
      signal,
      wait: (ms) => waitUnless(shell, signal, ms),
      claim: async () => (isClaimed = await store.claimRun(runId, shell.now())),
      resourcesKey: settings.resourcesKey,
    });
    // Somebody else claimed it, and says how it ended.
    if (outcome === undefined) return undefined;
    const { userId: by } = place;
    const message = outcomeMessage({ change, outcome, command: settings.command, by, defaultRegion: settings.region });
    return { state: outcome.kind, message };
  } catch (error) {
    return isClaimed ? brokenAfterClaim(shell, error, command) : refusedBefore(shell, error, command);
  }
}

function refusedBefore(shell: Shell, error: unknown, { name: verb, effect }: WriteCommand): End {
  return { state: "refused", message: failureMessage(shell, error, { verb, effect }) };
}

/** A bug of ours after the request may have left: the one thing not to say is that nothing happened. */
function brokenAfterClaim(shell: Shell, err: unknown, { name: verb }: WriteCommand): End {
  const reference = shell.newReference();
  shell.log.error({ err, reference, verb }, "something broke in Gantry after a run was claimed");
  return { state: "unknown", message: sentences.writeBroke(shell.settings.command, reference) };
}

/** The pause before a read-back ends when the bot has to. */
async function waitUnless({ wait }: Shell, signal: AbortSignal, ms: number): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = (): void => resolve();
  signal.addEventListener("abort", stop, { once: true });
  await Promise.race([wait(ms), promise]);
  signal.removeEventListener("abort", stop);
}
