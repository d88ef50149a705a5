import { watchHealth } from "../changes/health.ts";
import type { Health, StoredChange } from "../changes/stored-change.ts";
import { UserError } from "../errors.ts";
import { draw } from "../slack/cards/draw.ts";
import { eventOf, logEvent } from "./history.ts";
import { apiOf, type OpenedChange, reopened } from "./reopened.ts";
import type { Shell } from "./shell.ts";
import { tellAlone } from "../slack/cards/tell-requester.ts";

/** What a workload does so long after a Change says little about the Change. */
const FOLLOWED_FOR_MS = 5 * 60_000;

type Followed = {
  readonly id: string;
  /** It was done before this process took it: maybe long ago. */
  readonly isLeftOver: boolean;
};

const unwatched: Health = { kind: "unwatched", line: "", excerpt: [] };

/** After a success, for half a minute: is it there, does it run? Not while the bot has to end; then others do. */
export async function followHealth(shell: Shell, { id, isLeftOver }: Followed, signal: AbortSignal): Promise<void> {
  const change = await shell.store.findChange(id);
  if (change === undefined || change.state !== "done" || change.health !== undefined || signal.aborted) return;
  const isOld = isLeftOver && ageMs(shell, change) > FOLLOWED_FOR_MS;
  const health = isOld ? unwatched : await healthAfter(shell, change, signal);
  if (!signal.aborted) await note(shell, change, health);
}

/** Trouble is news: it stands in history, and where there is no card, whoever asked is told. */
async function note(shell: Shell, change: StoredChange, health: Health): Promise<void> {
  const event = eventOf(shell, change, { kind: "health", result: health.line });
  const isNews = health.kind === "trouble";
  const followed = await shell.store.setHealth(change.id, health, isNews ? event : undefined);
  if (followed === undefined) return;
  if (isNews) logEvent(shell, event);
  if (isNews && followed.card === undefined) await tellAlone(shell, followed);
  await draw(shell, change.id);
}

/** What does not open any more cannot be looked at. */
async function healthAfter(shell: Shell, change: StoredChange, signal: AbortSignal): Promise<Health> {
  let opened: OpenedChange;
  try {
    opened = await reopened(shell, change);
  } catch (error) {
    if (error instanceof UserError) return unwatched;
    throw error;
  }
  return watchHealth(opened.content.change, {
    ...apiOf(shell, opened, signal),
    nowMs: () => shell.now().getTime(),
    logZone: shell.settings.logZone,
    redact: (lines) => fitToShow(shell, { id: change.id, lines, opened, signal }),
  });
}

type Lines = {
  /** Of the Change. */
  readonly id: string;
  readonly lines: readonly string[];
  readonly opened: OpenedChange;
  readonly signal: AbortSignal;
};

/** Lines that can't be redacted in time, or before shutdown, are not shown. */
async function fitToShow({ logs, envSeen }: Shell, { id, lines, opened, signal }: Lines): Promise<readonly string[]> {
  const secrets = envSeen.values(opened.account.username, opened.content.change.workload);
  try {
    return await logs.redact({ lines, secrets }, { who: `health ${id}`, signal });
  } catch (error) {
    if (error instanceof UserError || signal.aborted) return [];
    throw error;
  }
}

/** Between two clocks, the database's and ours: good for minutes. */
function ageMs({ now }: Shell, { settledAt, createdAt }: StoredChange): number {
  return now().getTime() - (settledAt ?? createdAt).getTime();
}
