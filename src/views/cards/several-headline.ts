import type { StoredChange } from "../../changes/stored-change.ts";
import { truncate, visible } from "../kit/text.ts";
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
  const done = parts.filter(({ state }) => state === "done").length;
  return { mark: "🔄", text: `${done} of ${parts.length} ${pastWord(change)}, checking their health…` };
}

type Worst = readonly [mark: string, part: StoredChange | undefined, what: (name: string) => string];

/** "2 of 5 restarted: shop-b failed". Never better than the worst of them. */
export function endedHeadline(parts: readonly StoredChange[], past: string): Headline {
  const done = parts.filter(({ state }) => state === "done");
  const count = `${done.length} of ${parts.length} ${past}`;
  const first = (state: StoredChange["state"]): StoredChange | undefined => parts.find((part) => part.state === state);
  const sick = done.find(({ health }) => health?.kind === "trouble");
  const slow = done.find(({ health }) => health?.kind === "not-yet");
  const worst: readonly Worst[] = [
    ["❌", first("failed"), (name) => `${name} failed`],
    ["❓", first("unknown"), (name) => `can't tell about ${name}`],
    ["🔴", sick, (name) => `${name} is failing`],
    ["⚠️", first("drifted"), (name) => `${name} changed meanwhile`],
    ["🟡", slow, (name) => `${name} isn't running yet`],
  ];
  for (const [mark, part, what] of worst) {
    if (part !== undefined) return { mark, text: `${count}: ${what(truncate(visible(part.workload.name), 80))}` };
  }
  return done.length === 0 ? { mark: "❌", text: `Nothing was ${past}` } : { mark: "✅", text: count };
}
