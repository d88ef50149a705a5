import type { RunRow } from "../store/run-row.ts";
import type { Message } from "../views/message.ts";
import { sentence } from "./sentence.ts";
import type { Shell } from "./shell.ts";

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
const RESPONSE_URL_MS = 30 * 60_000;

/**
 * Runs of a process that died: each person is told what is known, and the run is closed. Nothing is ever sent again by
 * itself. Call it with what the store had before the first command came in. Never rejects.
 */
export async function tellLeftovers(shell: Shell, runs: readonly RunRow[]): Promise<void> {
  for (const run of runs) {
    try {
      await tellOne(shell, run);
    } catch (err) {
      shell.log.error({ err, runId: run.id }, "a run that was left over could not be closed");
    }
  }
}

async function tellOne(shell: Shell, run: RunRow): Promise<void> {
  const { store, log, poster } = shell;
  const isClaimed = run.state === "claimed";
  const now = shell.now();
  const canBeTold = now.getTime() - Date.parse(run.created_at) < RESPONSE_URL_MS;
  log.warn(
    { runId: run.id, verb: run.verb, state: run.state, canBeTold },
    "a run was left over by a process that died",
  );
  if (canBeTold) {
    const place = { userId: run.user_id, channelId: run.channel_id, responseUrl: run.response_url };
    await poster.tell(isClaimed ? mayHaveHappened(run, shell.settings.command) : neverBegan(run), place);
  }
  await store.settleRun(run.id, { state: isClaimed ? "unknown" : "told", at: now });
}

function neverBegan(run: RunRow): Message {
  return sentence(
    `Gantry stopped before it began your \`${run.verb}\`${about(run)}. Nothing was sent; ask again if you still want it.`,
  );
}

function mayHaveHappened(run: RunRow, command: string): Message {
  const look = run.name === null ? `${command} list` : `${command} show ${run.kind}/${run.name}${elsewhere(run)}`;
  return sentence(
    `Gantry stopped in the middle of your \`${run.verb}\`${about(run)}: it may have happened. Look with \`${look}\` before you ask again; Gantry never sends it again by itself.`,
  );
}

function about({ kind, name }: RunRow): string {
  return name === null ? "" : ` of ${kind} \`${name}\``;
}

function elsewhere({ kind, region }: RunRow): string {
  return kind === "service" && region !== null ? ` --region ${region}` : "";
}
