import { expect, test } from "vitest";
import { logDate } from "../../../../../src/api/log-pages.ts";
import { parseText } from "../../../../../src/bot/commands/grammar/parse.ts";
import { pollLog } from "../../../../../src/bot/commands/verbs/logs/followed-log.ts";
import { logs } from "../../../../../src/bot/commands/verbs/logs/logs.ts";
import { type Line, servedLogs } from "../../../../support/served-log.ts";
import { now, scripted } from "../../support/script.ts";

const POLLS = 40;
const STEP_MS = 5 * 60_000;

/** Numbers from 0 to below `most`, the same for a seed. */
function chance(seed: number): (most: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (most) => {
    state = (Math.imul(state ^ (state >>> 15), state | 1) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 14)) >>> 0) % most;
  };
}

const errorsIn = (lines: readonly string[]): number => lines.filter((line) => line.includes("ERROR")).length;

/** Programs that say the same few things. */
const says = ["ping", "ERROR no answer", "ERROR no answer", "retrying"];

/**
 * A log of one day after the other, whose program writes, now and then is restarted as another instance, has its log rotated
 * or emptied, while it is followed over three midnights. Returns how many error lines were written and told between polls.
 */
async function followed(seed: number): Promise<readonly { written: number; told: number; doubt: string }[]> {
  const some = chance(seed);
  let at = now.getTime();
  const dateOf = (): string => logDate(new Date(at), "UTC");
  const days: Record<string, Line[]> = {};
  let instance = 0;
  const write = (count: number): number => {
    const lines = Array.from({ length: count }, () => says[some(says.length)] ?? "");
    (days[dateOf()] ??= []).push(...lines.map((log) => ({ instance_name: `web-${instance}`, log })));
    return errorsIn(lines);
  };
  const cut = (kept: number): void => {
    const today = (days[dateOf()] ??= []);
    const left = today.slice(-kept);
    // Nobody can tell a log that begins as before from one that only grew.
    if (JSON.stringify(left[0]) !== JSON.stringify(today[0])) today.splice(0, today.length, ...left);
  };
  write(some(30));
  const { context } = scripted({ apiFetch: servedLogs({ web: days }) });
  const begun = await logs.follow?.(parseText("logs web --follow").ask, { ...context, now: new Date(at) });
  if (begun === undefined) throw new Error("nothing is followed");
  let { log } = begun.poll;
  const rounds: { written: number; told: number; doubt: string }[] = [];
  const look = async (): Promise<{ told: number; doubt: string }> => {
    const poll = await pollLog(log, { ...context, now: new Date(at) });
    ({ log } = poll);
    const lines = poll.text.split("\n");
    const told = lines.reduce((sum, line) => sum + errorsIn([line]) * Number(/\(×(\d+)/u.exec(line)?.[1] ?? 1), 0);
    return { told, doubt: lines.filter((line) => line.startsWith("⋯")).join("\n") };
  };
  for (let poll = 0; poll < POLLS; poll += 1) {
    const what = some(20);
    if (what === 0) instance += 1;
    if (what === 1) cut(1 + some(12));
    // Its first line is of another instance, so that it isn't taken for the log before that grew.
    if (what === 2) [instance, days[dateOf()]] = [instance + 1, []];
    const written = write(some(8) === 0 ? 0 : some(38));
    at += STEP_MS;
    if (some(2) === 0) at += 180 * 60_000;
    const first = await look();
    const second = await look();
    rounds.push({ written, told: first.told + second.told, doubt: first.doubt + second.doubt });
  }
  return rounds;
}

test.each(Array.from({ length: 8 }, (_, seed) => [seed]))(
  "a followed log tells each error line once, or that some may be missing, over midnights and rotations: seed %i",
  async (seed) => {
    const rounds = await followed(seed);

    expect(rounds.filter(({ written, told, doubt }) => written !== told && doubt === "")).toEqual([]);
    expect(rounds.map(({ doubt }) => doubt).join("")).not.toContain("more came");
    // The doubt is the exception.
    expect(rounds.filter(({ doubt }) => doubt !== "").length).toBeLessThan(POLLS / 4);
  },
);
