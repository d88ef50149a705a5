import { type FailureKind, kindOf } from "../../src/bot/slack/send/slack-error.ts";
import { everyCode } from "./full-run.ts";
import { errorsOf } from "./slack-codes.ts";
import type { Person, World } from "./world.ts";

type Faults = World["playground"]["faults"];

/** Something that Slack answers instead of doing what it is asked, for a while. */
export type SlackAnswer = {
  readonly name: string;
  /** `lost`: it was done, and the answer didn't come. */
  readonly means: FailureKind | "lost";
  readonly fault: Parameters<Faults["answer"]>[1];
  readonly retryAfterSeconds?: number;
};

const ofNetwork: readonly SlackAnswer[] = [
  { name: "429 for minutes", means: "limited", fault: "429", retryAfterSeconds: 150 },
  { name: "a broken connection", means: "unsure", fault: "cut" },
  { name: "a web page", means: "unsure", fault: "garbage" },
  { name: "an answer that is lost", means: "lost", fault: "lost" },
];

const more: readonly SlackAnswer[] = [
  { name: "a code nobody knows", means: "unknown", fault: { error: "a_code_nobody_knows" } },
  { name: "429 for a second", means: "limited", fault: "429", retryAfterSeconds: 1 },
  { name: "status 500", means: "unsure", fault: "500" },
  { name: "status 503", means: "unsure", fault: "503" },
];

/** Every answer that Slack's pages list for a method, and those of the network; in a plain `npm test` one code of each meaning. */
function answersOf(method: string): readonly SlackAnswer[] {
  const codes = errorsOf(method).map((error): SlackAnswer => ({ name: error, means: kindOf(error), fault: { error } }));
  if (everyCode) return [...codes, ...ofNetwork, ...more];
  return [...Map.groupBy(codes, ({ means }) => meanings[means]).values()]
    .flatMap(([first]) => first ?? [])
    .concat(ofNetwork);
}

/** One answer of Slack's in a channel of its own, with a person and a workload of their own. */
export type Scene = {
  readonly answer: SlackAnswer;
  readonly channel: string;
  readonly channelId: string;
  readonly person: Person;
  readonly workload: string;
};

/** A channel for each answer: in all of them, the story happens at the same time. */
export function scenesFor({ playground, developer }: World, method: string): readonly Scene[] {
  return answersOf(method).map((answer, at) => {
    const channel = `c${at}`;
    playground.people.addChannel(channel, ["dana", "alex", "gantry"]);
    const person = playground.people.addPerson(`p${at}`, [channel]);
    return { answer, channel, channelId: developer.channelId(channel), person, workload: `w${at}` };
  });
}

/** Slack answers so to this method in each of the places, or wherever it is, until `faults.clear`. An answer is lost once. */
export function slackAnswers(
  { playground }: World,
  scenes: readonly Scene[],
  method: string,
  placeOf: (scene: Scene) => string | undefined = ({ channel }) => channel,
): void {
  for (const scene of scenes) {
    const { fault, means, retryAfterSeconds } = scene.answer;
    const channel = placeOf(scene);
    const scope = { ...(channel && { channel }), ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    playground.faults.answer(method, fault, means === "lost" ? { ...scope, times: 1 } : scope);
  }
}

/** What everybody sees in the channel of it, replies with an arrow before them. */
export function told({ channel }: Pick<Scene, "channel">, { developer }: World): readonly string[] {
  return drawn(developer.sees(channel).filter(({ isEphemeral }) => !isEphemeral));
}

/** What the person alone is told: in the channel, and in their direct message with the bot. */
export function toldAlone({ person, channel }: Scene): readonly string[] {
  return drawn([...person.sees(channel).filter(({ isEphemeral }) => isEphemeral), ...person.sees("@gantry")]);
}

function drawn(seen: ReturnType<Person["sees"]>): readonly string[] {
  const own = seen.filter(({ author, isEphemeral }) => author === "gantry" || isEphemeral);
  return own.map(
    ({ text, files, threadTs, ts }) =>
      `${threadTs !== undefined && threadTs !== ts ? "↳ " : ""}${[text, ...files.map(({ name }) => `[${name}]`)].join("\n")}`,
  );
}

/** Those that are no replies. */
export const heads = (texts: readonly string[]): readonly string[] => texts.filter((text) => !text.startsWith("↳"));

export const saysAgain = (text: string): boolean => /(?:posted|sent) again/iu.test(text);

/** What a failure means for a message: tried again, until somebody changes the app or the place, about this message alone, or for ever. */
export type Meaning = "later" | "maybe" | "app" | "place" | "message" | "gone";

const meanings: Readonly<Record<SlackAnswer["means"], Meaning>> = {
  limited: "later",
  temporary: "later",
  unsure: "maybe",
  lost: "maybe",
  closed: "place",
  uninvited: "place",
  token: "app",
  scope: "app",
  uneditable: "message",
  superseded: "message",
  content: "message",
  ours: "message",
  unknown: "message",
  gone: "gone",
};

export function meaningOf({ answer: { means } }: Pick<Scene, "answer">): Meaning {
  return meanings[means];
}

/** What Slack says isn't there any more isn't there. */
export function deleteIfGone({ playground, developer }: World, scene: Scene): void {
  if (meaningOf(scene) !== "gone") return;
  for (const { ts, threadTs } of developer.sees(scene.channel)) {
    if (threadTs === undefined || threadTs === ts) playground.people.removeMessage(scene.channel, ts);
  }
}
