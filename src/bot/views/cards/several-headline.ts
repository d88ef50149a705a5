import type { Health, StoredChange } from "../../changes/stored-change.ts";
import { isFollowed, seenOf } from "../kit/seen.ts";
import { truncate, visible } from "../kit/text.ts";
import { unseenOf } from "../kit/unconfirmed.ts";
import { pastWord, split } from "./phrases.ts";

/** The first line of a card: one symbol, and what happened to which workload. */
export type Headline = { readonly mark: string; readonly text: string };

/** Of a request for several workloads that runs or is over; undefined for any other, whose phrases name the workloads. */
export function severalHeadline(change: StoredChange): Headline | undefined {
  const { parts } = change;
  if (parts === undefined) return undefined;
  switch (change.state) {
    case "claimed":
      return running(change, parts);
    case "done":
    case "failed":
    case "unknown":
    case "drifted":
      return endedHeadline(parts, pastWord(change));
    default:
      return undefined;
  }
}

function running(change: StoredChange, parts: readonly StoredChange[]): Headline {
  const place = parts.findIndex(({ settledAt }) => settledAt === undefined) + 1;
  const stops = parts.some(({ state }) => state === "failed");
  const [doing] = split(change, "running");
  if (place > 0 && !stops) return { mark: "🔄", text: `${doing.trim()} ${place} of ${parts.length}…` };
  const done = parts.filter(({ state }) => state === "done");
  return { mark: "🔄", text: `${done.length} of ${parts.length} ${pastOf(done, pastWord(change))}…` };
}

/** What isn't reported for one of them isn't claimed for all. */
function pastOf(done: readonly StoredChange[], past: string): string {
  return done.some((part) => unseenOf(part) !== undefined) ? "accepted" : past;
}

/** Accepted, and not visible yet. */
function isLate(part: StoredChange): boolean {
  const { ending } = part;
  const isAsked = ending?.kind === "run" && ending.outcome.kind === "asked" && unseenOf(part) === undefined;
  return isAsked && seenOf(part)?.kind === "not-yet";
}

type Worst = readonly [mark: string, part: StoredChange | undefined, what: (name: string) => string];

/** "2 of 5 restarted: shop-b failed". Never better than the worst of them. */
export function endedHeadline(parts: readonly StoredChange[], past: string): Headline {
  const done = parts.filter(({ state }) => state === "done");
  const late = done.find(isLate);
  const count = `${done.filter((part) => !isLate(part)).length} of ${parts.length} ${pastOf(done, past)}`;
  const first = (state: StoredChange["state"]): StoredChange | undefined => parts.find((part) => part.state === state);
  const seen = (kind: Health["kind"]): StoredChange | undefined => done.find((part) => seenOf(part)?.kind === kind);
  const isOpen = done.some((part) => isFollowed(part) && seenOf(part)?.kind !== "reached");
  const worst: readonly Worst[] = [
    ["❌", first("failed"), (name) => `${name} failed`],
    ["❓", first("unknown"), (name) => `can't tell about ${name}`],
    ["🔴", seen("trouble"), (name) => `${name} is failing`],
    ["⚠️", first("drifted"), (name) => `${name} changed meanwhile`],
    ["🟡", late, (name) => `${name} isn't ${past} yet`],
    ["🟡", seen("not-yet"), (name) => `${name} isn't running yet`],
    ["🟡", done.find((part) => unseenOf(part) !== undefined), (name) => `${name} can't be confirmed`],
  ];
  for (const [mark, part, what] of worst) {
    if (part !== undefined) return { mark, text: `${count}: ${what(truncate(visible(part.workload.name), 80))}` };
  }
  if (done.length === 0) return { mark: "❌", text: `Nothing was ${past}` };
  return { mark: isOpen ? "🟡" : "✅", text: count };
}
