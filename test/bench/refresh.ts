import { setTimeout as sleep } from "node:timers/promises";
import { commandEnvelope } from "./delivery.ts";
import { machineMs } from "./remote.ts";
import type { SocketSlack } from "./socket-slack.ts";

export type RefreshResult = {
  /** How long the app had no connection that takes deliveries. */
  readonly gapMs: number;
  /** From the warning until the old connections are closed and as many new ones are open. */
  readonly replacedMs: number;
  readonly sent: number;
  /** Commands that had no connection, or whose connection ended before their ack. */
  readonly lost: number;
};

export type Refresh = {
  readonly appToken: string;
  readonly sinkPort: number;
  /** From Slack's warning to the end of the connection: about 10 s in life. */
  readonly warnMs: number;
  readonly group: string;
};

/** Between two commands that are sent meanwhile. */
const EVERY_MS = 10;
const LONGEST_MS = 30_000;
/** What comes after the last connection was replaced. */
const AFTER_MS = 500;

/** Slack announces and ends all connections of an app at once, while people type. */
export async function measureRefresh(slack: SocketSlack, refresh: Refresh): Promise<RefreshResult> {
  const { appToken, warnMs } = refresh;
  const before = slack.open(appToken);
  const gap = watchGap(slack, appToken);
  const typing = new AbortController();
  const typed = type(slack, refresh, typing.signal);
  const since = machineMs();
  await slack.refresh(appToken, warnMs);
  while (slack.open(appToken) < before && machineMs() - since < LONGEST_MS) await sleep(1);
  const replacedMs = machineMs() - since;
  await sleep(AFTER_MS);
  typing.abort();
  return { gapMs: gap(), replacedMs, ...(await typed) };
}

/** Counts the time in which nothing can be delivered. */
function watchGap(slack: SocketSlack, appToken: string): () => number {
  let gapMs = 0;
  let sinceMs: number | undefined;
  slack.onChange(() => {
    const isOpen = slack.open(appToken) > 0;
    if (!isOpen) sinceMs ??= machineMs();
    if (!isOpen || sinceMs === undefined) return;
    gapMs += machineMs() - sinceMs;
    sinceMs = undefined;
  });
  return () => gapMs + (sinceMs === undefined ? 0 : machineMs() - sinceMs);
}

async function type(
  slack: SocketSlack,
  { appToken, sinkPort, group }: Refresh,
  signal: AbortSignal,
): Promise<Pick<RefreshResult, "sent" | "lost">> {
  const acks: Promise<boolean>[] = [];
  while (!signal.aborted) {
    const envelope = commandEnvelope({ kind: "command", text: "help", sinkPort, group, at: acks.length });
    acks.push(
      slack.deliver(appToken, envelope).then(
        () => true,
        () => false,
      ),
    );
    await sleep(EVERY_MS);
  }
  const results = await Promise.all(acks);
  return { sent: results.length, lost: results.filter((isAcked) => !isAcked).length };
}
