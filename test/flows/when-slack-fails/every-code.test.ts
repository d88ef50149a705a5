import { describe, expect, test } from "vitest";
import type { NewWatch } from "../../../src/bot/workflow/stored.ts";
import { approvalTown, createWeb } from "../../support/approval-town.ts";
import { everyCode, someOf } from "../../support/full-run.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { othersApprove } from "../../support/policies.ts";
import {
  deleteIfGone,
  heads,
  meaningOf,
  saysAgain,
  type Scene,
  scenesFor,
  slackAnswers,
  told,
  toldAlone,
} from "../../support/slack-answers.ts";
import { crashing, watchedTown, well } from "../../support/watched-town.ts";
import type { World, WorldOptions } from "../../support/world.ts";

// Whatever Slack answers to a message that Gantry keeps true: when it is well again, each thing was told once, and what stands there is true.

type Transport = NonNullable<WorldOptions["transport"]>;

/** A story that happens in each scene, with a message in its channel. */
type Story = AsyncDisposable & {
  readonly town: World;
  readonly scenes: readonly Scene[];
  /** From here on there is something to tell. */
  readonly begins: () => Promise<void>;
  /** The end of what the message shows. */
  readonly ends: () => Promise<void>;
};

type Told = {
  readonly what: string;
  readonly make: (transport: Transport, method: string) => Promise<Story>;
  /** How the message begins. */
  readonly begun: RegExp;
  /** The same after the end of what it shows. Without it, it is told and over. */
  readonly over?: RegExp;
  /** The end is told in its thread, too. */
  readonly reply?: RegExp;
  /** Who reads it alone while it can't be posted. */
  readonly instead?: "watcher" | "requester";
};

async function passes(town: World, minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 1) {
    town.passMinutes(1);
    await town.sweep();
    await town.sweep();
  }
}

/** In each channel, a person watches a workload. */
async function watching(transport: Transport, method: string, other: Partial<NewWatch> = {}) {
  const town = await watchedTown({ policy: openPolicy, transport });
  const scenes = scenesFor(town, method);
  for (const { workload, person, channelId } of scenes) {
    town.is(workload, well);
    const owner = { userId: person.id, name: person.name };
    await town.adds(workload, { afterMs: 0, owner, place: { kind: "channel", channelId }, ...other });
  }
  await passes(town, 1);
  const all = (state: object) => async () => {
    for (const { workload } of scenes) town.is(workload, state);
    await passes(town, 1);
  };
  return { town, scenes, begins: all(crashing), ends: all(well), [Symbol.asyncDispose]: town.close };
}

const digest = { days: "daily", at: "14:05", zone: "Europe/Berlin" } as const; // a literal name of days
const nobodyWatches = `rules: [{ name: none, who: everyone, does: watch, then: refuse }, { name: look, who: members, does: read, then: allow }]`;

/** In each channel, a person asks for something. */
async function asking(transport: Transport, method: string, policy: string, words: string): Promise<Story> {
  const town = await approvalTown({ policy, transport });
  const scenes = scenesFor(town, method);
  for (const { workload } of scenes) await createWeb(town, town.api, workload);
  return {
    town,
    scenes,
    async begins() {
      for (const { person, workload, channel } of scenes) {
        await person.says(words.replace("NAME", workload), { channel });
        await town.settled();
      }
    },
    async ends() {
      const waiting = await town.store().pendingChanges("T0PLAYGR");
      for (const { workload, channel } of scenes) {
        const id = waiting.find((change) => change.workload.name === workload)?.id ?? workload;
        await town.approver.says(`/gantry approve ${id}`, { channel });
      }
      await town.settled();
    },
    [Symbol.asyncDispose]: town.close,
  };
}

const messages: readonly Told[] = [
  {
    what: "an incident",
    make: watching,
    begun: /^🔴 w\d+ keeps crashing/u,
    over: /^🟢 w\d+ recovered/u,
    reply: /^↳ 🟢 w\d+ recovered/u,
    instead: "watcher",
  },
  {
    what: "a request that waits for approval",
    make: (...given) => asking(...given, othersApprove, "/gantry restart NAME"),
    begun: /^⏳ Restart w\d+\?/u,
    over: /^✅ w\d+ restarted/u,
    reply: /^↳ ✅ w\d+ restarted/u,
    instead: "requester",
  },
  {
    what: "a digest",
    make: (...given) => watching(...given, { events: [], digest }),
    begun: /Digest: 1 needs attention/u,
    instead: "watcher",
  },
  {
    what: "the end of a watch",
    async make(...given) {
      const story = await watching(...given);
      return {
        ...story,
        async begins() {
          story.town.setPolicy(nobodyWatches);
          await passes(story.town, 11);
        },
      };
    },
    begun: /^🔕 p\d+ no longer watches w\d+/u,
    instead: "watcher",
  },
  {
    what: "an announcement",
    make: (...given) =>
      asking(
        ...given,
        `${openPolicy}  - { name: watches, who: members, does: watch, then: allow }`,
        "/gantry watch NAME",
      ),
    begun: /^🔔 \S+ watches w\d+/u,
  },
];

/** When Slack fails, and with what. `isLong`: until after the end. */
const moments = {
  "its first message": { method: "chat.postMessage", since: "the beginning", isLong: false },
  "its first message until after its end": { method: "chat.postMessage", since: "the beginning", isLong: true },
  "the update at its end": { method: "chat.update", since: "the end", isLong: true },
  "the reply at its end": { method: "chat.postMessage", since: "the end", isLong: true },
} as const; // literal methods

type Moment = keyof typeof moments;

/** Runs the story while Slack fails, until some minutes after Slack is well again. Calls back while it isn't. */
async function tells(story: Story, moment: Moment, meanwhile: () => void): Promise<void> {
  const { town, scenes } = story;
  const { method, since, isLong } = moments[moment];
  const fails = (): void => slackAnswers(town, scenes, method);
  if (since === "the beginning") fails();
  await story.begins();
  await passes(town, 2);
  if (since === "the end") {
    fails();
    if (method === "chat.update") for (const scene of scenes) deleteIfGone(town, scene);
  }
  if (isLong) await story.ends();
  await passes(town, 2);
  meanwhile();
  town.playground.faults.clear();
  await passes(town, 5);
  if (!isLong) await story.ends();
  await passes(town, 3);
}

/** Collects what isn't right in a scene, with what is read there. */
function checking({ answer, ...scene }: Scene, town: World) {
  const wrong: string[] = [];
  const check = (isRight: boolean, what: string): void => {
    if (isRight) return;
    const alone = toldAlone({ answer, ...scene }).map((text) => `alone: ${text}`);
    wrong.push(`${answer.name} (${answer.means}): not so: ${what}\n${[...told(scene, town), ...alone].join("\n")}`);
  };
  return { wrong, check };
}

/** Who reads it alone meanwhile: whoever watches where somebody has to change something first, and whoever asked. */
function wrongMeanwhile(scene: Scene, town: World, moment: Moment, message: Told): readonly string[] {
  const { instead, begun, over = begun, reply } = message;
  const { wrong, check } = checking(scene, town);
  const { since, method, isLong } = moments[moment];
  const meaning = meaningOf(scene);
  const isFirst = since === "the beginning";
  const alone = heads(toldAlone(scene)).filter((text) => (isLong ? over : begun).test(text)).length;
  const isUnread =
    meaning === "place" || meaning === "app" || (isFirst && (meaning === "gone" || meaning === "message"));
  const isReply = !isFirst && method === "chat.postMessage";
  if (instead === "watcher" && !isReply)
    check(alone === (isUnread ? 1 : 0), "who watches reads it alone where it is closed");
  if (instead === "requester" && isFirst && scene.answer.means !== "lost")
    check(alone === 1, "who asked reads it alone");
  if (instead === "watcher" && !isReply && !isFirst && meaning === "message") {
    check(
      told(scene, town).some((text) => reply?.test(text)),
      "the thread tells what the card can't",
    );
  }
  return wrong;
}

function wrongAtTheEnd(scene: Scene, town: World, moment: Moment, message: Told): readonly string[] {
  const { instead, begun, over = begun, reply } = message;
  const { wrong, check } = checking(scene, town);
  const { since, method } = moments[moment];
  const meaning = meaningOf(scene);
  const isLost = scene.answer.means === "lost";
  const isFirst = since === "the beginning";
  const all = told(scene, town);
  const cards = heads(all);
  const last = cards.at(-1) ?? "";
  check(cards.length === (isFirst && isLost ? 2 : 1), "it is there once");
  check(over.test(last), "it shows the end");
  // The card of a request that can be decided says from the beginning that there may be a newer one.
  if (isFirst && meaning === "maybe" && instead !== "requester")
    check(saysAgain(last), "it says that it may be there twice");
  if (meaning !== "maybe" && meaning !== "gone") check(!all.some(saysAgain), "nothing says that it may be there twice");
  const replies = reply === undefined ? [] : all.filter((text) => reply.test(text));
  if (isFirst || method === "chat.update") check(replies.length <= 1, "its end is replied once at most");
  else if (meaning === "gone") check(replies.length === 0, "nothing replies to what is gone");
  else if (isLost) check(replies.length === 2 && saysAgain(replies.at(-1) ?? ""), "the second reply says so");
  else check(replies.length === 1, "its end is replied once");
  const alone = heads(toldAlone(scene));
  for (const state of [begun, over])
    check(alone.filter((text) => state.test(text)).length <= 1, "nobody reads it twice alone");
  return wrong;
}

const transports: readonly Transport[] = ["http", "socket"];

/** In a plain `npm test`, some messages, each over one transport. */
const stories = someOf(messages, 1, 2).flatMap((message, at) =>
  transports.filter((_, which) => everyCode || which === at % 2).map((transport) => ({ ...message, transport })),
);

describe.each(stories)("$what, over $transport", ({ transport, ...message }) => {
  const hasEnd = message.over !== undefined;
  const names = Object.keys(moments) as Moment[]; // its own keys
  test.each(someOf(names, 1, 2).filter((_, at) => hasEnd || at === 0))("%s", async (moment) => {
    await using made = await message.make(transport, moments[moment].method);
    const { town, scenes } = made;
    const story = hasEnd ? made : { ...made, ends: () => Promise.resolve() };
    let meanwhile: readonly string[] = [];
    await tells(story, moment, () => {
      meanwhile = scenes.flatMap((scene) => wrongMeanwhile(scene, town, moment, message));
    });

    expect(meanwhile).toEqual([]);
    expect(scenes.flatMap((scene) => wrongAtTheEnd(scene, town, moment, message))).toEqual([]);
  });
});

test.each(transports.slice(everyCode ? 0 : 1))("what a requester asked to be told, over %s", async (transport) => {
  await using town = await watchedTown({ policy: openPolicy, transport, wait: () => Promise.resolve() });
  const scenes = scenesFor(town, "chat.postMessage");
  slackAnswers(town, scenes, "chat.postMessage", ({ person }) => person.id);
  for (const { person, workload, channel } of scenes) {
    await person.says(`/gantry create job ${workload} --image gantry/batch --notify me`, { channel });
    await town.settled();
    town.isJob(workload, { status: { succeeded: 1, completionTime: "2026-11-26T10:02:00Z" } });
  }
  await passes(town, 3);
  town.playground.faults.clear();
  await passes(town, 5);

  const wrong = scenes.flatMap((scene) => {
    const { wrong: found, check } = checking(scene, town);
    const news = [...told(scene, town), ...toldAlone(scene)].filter((text) =>
      text.includes("asked to hear how it ends"),
    );
    const isLost = scene.answer.means === "lost";
    check(news.length === (isLost ? 2 : 1) && news.filter(saysAgain).length <= 1, "it is told once");
    check(!isLost || news.some(saysAgain), "the second one says so");
    check(
      news.every((text) => !text.startsWith("↳") || text.startsWith(`↳ @${scene.person.name}`)),
      "its reader is named",
    );
    return found;
  });
  expect(wrong).toEqual([]);
});
