import { expect, test } from "vitest";
import { logDate } from "../../../src/api/log-pages.ts";
import { everyCode, someOf } from "../../support/full-run.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { type Line, numberedLines, numbersIn, range, servedLogs } from "../../support/served-log.ts";
import {
  deleteIfGone,
  meaningOf,
  type Scene,
  scenesFor,
  slackAnswers,
  told,
  toldAlone,
} from "../../support/slack-answers.ts";
import { BEGINNING } from "../../support/test-clock.ts";
import { world, type World, type WorldOptions } from "../../support/world.ts";

// Whatever Slack answers while a log is followed: it says "Following" only while it follows, each line comes once, and its end is told.

type Transport = NonNullable<WorldOptions["transport"]>;

/** So many are followed at once in a workspace. */
const AT_ONCE = 10;

/** When Slack fails, and with what. */
const moments = [
  { what: "the first message", method: "chat.postMessage", since: "the beginning" },
  { what: "the first lines", method: "chat.postMessage", since: "new lines" },
  { what: "the update of the first message", method: "chat.update", since: "the beginning" },
  { what: "new lines", method: "chat.update", since: "new lines" },
  { what: "the update at the end", method: "chat.update", since: "the end" },
] as const; // literal methods

type Moment = (typeof moments)[number];

const transports: readonly Transport[] = ["http", "socket"];
const cases = someOf(moments, 1, 3).flatMap((moment, at) =>
  transports.filter((_, which) => everyCode || which === at % 2).map((transport) => ({ ...moment, transport })),
);

async function passes(town: World, minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 0.25) {
    town.passMinutes(0.25);
    await town.sweep();
  }
}

async function isFollowing(town: World, { channelId, person }: Scene): Promise<boolean> {
  const follows = await town.store().followsOf({ teamId: "T0PLAYGR", channelId, requesterId: person.id });
  return follows.length > 0;
}

test.each(cases)("$what, over $transport", async (moment: Moment & { readonly transport: Transport }) => {
  const { method, since, transport } = moment;
  const logs = new Map<string, Line[]>();
  const today = logDate(BEGINNING, "UTC");
  await using town = await world({
    policy: openPolicy,
    transport,
    apiFetch: (request) =>
      servedLogs(Object.fromEntries([...logs].map(([name, lines]) => [name, { [today]: lines }])))(request),
  });
  const scenes = scenesFor(town, method);
  // Lines whose message isn't there yet, or lines of one that grows.
  const areFirst = since === "new lines" && method === "chat.postMessage";
  for (const { workload } of scenes) logs.set(workload, areFirst ? [] : numberedLines(1, 3));
  const write = (some: readonly Scene[], from: number, to: number): void => {
    for (const { workload } of some) logs.get(workload)?.push(...numberedLines(from, to));
  };
  const wrong: string[] = [];
  for (let at = 0; at < scenes.length; at += AT_ONCE) {
    const some = scenes.slice(at, at + AT_ONCE);
    const fails = (): void => slackAnswers(town, some, method);
    if (since === "the beginning") fails();
    for (const { person, workload, channel } of some) {
      await person.says(`/gantry logs ${workload} --follow --for 10m`, { channel });
      await town.settled();
    }
    if (since === "new lines") fails();
    if (since !== "new lines" && method === "chat.update") for (const scene of some) deleteIfGone(town, scene);
    write(some, areFirst ? 1 : 4, 6);
    await passes(town, 1);
    if (since === "the end") {
      fails();
      for (const { person, channel } of some) await person.says("/gantry unfollow", { channel });
      await passes(town, 1);
    }
    town.playground.faults.clear();
    await passes(town, 3);
    for (const scene of some)
      if (!(await isRight(town, scene, moment))) wrong.push(await shown(town, scene, "while it may follow"));
    for (const { person, channel } of some) await person.says("/gantry unfollow", { channel });
    await passes(town, 3);
    for (const scene of some) if (!(await isOver(town, scene))) wrong.push(await shown(town, scene, "when it is over"));
  }

  expect(wrong).toEqual([]);
});

async function shown(town: World, scene: Scene, when: string): Promise<string> {
  const alone = toldAlone(scene).map((text) => `alone: ${text}`);
  const { name, means } = scene.answer;
  const is = (await isFollowing(town, scene)) ? "followed" : "not followed";
  return `${name} (${means}), ${when}, ${is}:\n${[...told(scene, town), ...alone].join("\n")}`;
}

async function isRight(town: World, scene: Scene, moment: Moment): Promise<boolean> {
  const all = told(scene, town);
  const following = all.filter((text) => text.startsWith("▶️ Following"));
  const is = await isFollowing(town, scene);
  const goesOn = !["place", "gone"].includes(meaningOf(scene));
  const isBegun = moment.what !== "the first message";
  if (moment.since !== "the end" && isBegun && goesOn && !is) return false;
  if (following.length !== (is ? 1 : 0) || !following.every((text) => text.endsWith("[Stop following]"))) return false;
  const lines = numbersIn(all.filter((text) => text.startsWith("↳")).join("\n"));
  if (is) return lines.join() === range(1, 6).join();
  return moment.since === "the end" ? lines.join() === range(1, 6).join() : new Set(lines).size === lines.length;
}

/** One whose first message was deleted says nothing more. */
async function isOver(town: World, scene: Scene): Promise<boolean> {
  const all = told(scene, town);
  if (all.length === 0) return !(await isFollowing(town, scene));
  const isEnded = all.some((text) => text.startsWith("⏹️ Followed")) || toldAlone(scene).length > 0;
  return isEnded && !all.some((text) => text.startsWith("▶️")) && !(await isFollowing(town, scene));
}
