import { expect, test } from "vitest";
import { logDate } from "../../../src/api/log-pages.ts";
import { everyCode, someOf } from "../../support/full-run.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { numberedLines, servedLogs } from "../../support/served-log.ts";
import {
  meaningOf,
  saysAgain,
  type Scene,
  scenesFor,
  slackAnswers,
  told,
  toldAlone,
} from "../../support/slack-answers.ts";
import { form, home } from "../../support/speak.ts";
import { BEGINNING, testClock } from "../../support/test-clock.ts";
import { world, type World, type WorldOptions } from "../../support/world.ts";

// Whatever Slack answers to what nobody stores: people read it once, or why they don't, and a form doesn't wait for ever.

type Transport = NonNullable<WorldOptions["transport"]>;

/** A town with services that log. Slack is well again when the bot has waited so long for it. */
async function town(transport: Transport, wellAfterMs: number): Promise<World> {
  const clock = testClock();
  const today = logDate(BEGINNING, "UTC");
  let isWell = (): void => undefined;
  const wait = async (ms: number): Promise<void> => {
    clock.passMs(ms);
    if (ms >= wellAfterMs) isWell();
  };
  const long = numberedLines(1, 900, (at) => `${"x".repeat(90)} line ${at}.`);
  const made = await world({
    policy: openPolicy,
    transport,
    clock,
    apiFetch: servedLogs({ web: { [today]: numberedLines(1, 4) }, long: { [today]: long } }),
    backOff: wait,
    wait,
  });
  isWell = () => made.playground.faults.clear();
  return made;
}

const inThread = async ({ person, channel }: Scene): Promise<void> => {
  await person.says("who looks?", { channel });
  await person.says("@gantry show web", { channel, thread: person.sees(channel).at(-1)?.ts ?? "" });
};
const command =
  (words: string) =>
  ({ person, channel }: Scene): Promise<unknown> =>
    person.says(`/gantry ${words}`, { channel });
const nowhere = (): undefined => undefined;

/** From the moment in which the head of a thread is in the channel. */
function onceItBegins({ playground }: World, { channel }: Scene, fails: () => void): void {
  const stop = playground.watch(() => {
    if (playground.messages(channel).length === 0) return;
    stop();
    fails();
  });
}

type Way = {
  readonly what: string;
  /** The method whose codes are tried. */
  readonly method: string;
  readonly asks: (scene: Scene, town: World) => Promise<unknown>;
  /** Slack fails by these ways, too. */
  readonly also?: readonly string[];
  /** Slack names no channel in these calls. */
  readonly placeOf?: () => undefined;
  /** Only the replies fail. */
  readonly isReply?: true;
  /** What is to be read, where the person sees something. */
  readonly answer: RegExp;
  /** Instead, where Slack refuses it and nothing else can be tried. Without it, another way is found. */
  readonly refused?: RegExp;
  /** There is no other way. */
  readonly isLast?: true;
  /** Nobody sees it when it is done twice. */
  readonly isUnseen?: true;
};

const running = /web · running/u;
const incomplete = /Couldn't post the whole thread/u;

const ways: readonly Way[] = [
  { what: "an answer beside a command", method: "response_url", asks: command("show web"), answer: running },
  {
    what: "an answer that only one person sees",
    method: "chat.postEphemeral",
    also: ["response_url"],
    asks: command("show web"),
    answer: running,
  },
  {
    what: "an answer by any way",
    method: "chat.postMessage",
    also: ["response_url", "chat.postEphemeral"],
    placeOf: nowhere,
    asks: command("show web"),
    answer: running,
    isLast: true,
  },
  { what: "an answer in a thread", method: "chat.postMessage", asks: inThread, answer: running },
  {
    what: "the head of a log",
    method: "chat.postMessage",
    asks: command("logs web"),
    answer: /^📄 web · all 4 lines/u,
  },
  {
    what: "the lines of a log",
    method: "chat.postMessage",
    isReply: true,
    asks: command("logs web"),
    answer: /line 4\./u,
    refused: incomplete,
  },
  ...(["files.getUploadURLExternal", "files.completeUploadExternal"] as const).map(
    // literal names
    (method): Way => ({
      what: `the file of a log, by ${method}`,
      method,
      ...(method === "files.getUploadURLExternal" && { isUnseen: true }),
      placeOf: nowhere,
      asks: command("logs long --file"),
      answer: /\[long-.*\]/u,
      refused: incomplete,
    }),
  ),
];

const transports: readonly Transport[] = ["http", "socket"];

/** In a plain `npm test`, each over one transport. */
function overTransports<Case>(cases: readonly Case[]) {
  return cases.flatMap((each, at) =>
    transports.filter((_, which) => everyCode || which === at % 2).map((transport) => ({ ...each, transport })),
  );
}

const all = (scene: Scene, at: World): readonly string[] => [...told(scene, at), ...toldAlone(scene)];

/** The code passes soon, so that it is tried again for some seconds. */
function passes(scene: Scene): boolean {
  const { means, retryAfterSeconds = 0 } = scene.answer;
  return ["later", "maybe"].includes(meaningOf(scene)) && means !== "lost" && retryAfterSeconds < 30;
}

test.each(overTransports(someOf(ways, 1, 2)))("$what, over $transport", async (way) => {
  const { transport, method, also = [], placeOf, asks, answer, refused, isLast, isReply, isUnseen } = way;
  await using made = await town(transport, refused === undefined ? 2_000 : 1_000);
  const wrong: string[] = [];
  for (const scene of scenesFor(made, method)) {
    const fails = (): void => {
      for (const each of [method, ...also]) slackAnswers(made, [scene], each, placeOf);
    };
    made.playground.faults.clear();
    if (isReply) onceItBegins(made, scene, fails);
    else fails();
    await asks(scene, made);
    await made.settled();

    const seen = all(scene, made);
    const found = seen.filter((text) => answer.test(text));
    const isLost = scene.answer.means === "lost";
    const isToken = scene.answer.means === "token";
    const isRefused = refused !== undefined && !isLost && !passes(scene);
    const isSilent = isLast === true && !isLost && !isToken && !["later", "maybe"].includes(meaningOf(scene));
    const counts = {
      answers: isLost && isUnseen !== true ? 2 : isRefused || isSilent ? 0 : 1,
      reasons: isRefused ? 1 : 0,
    };
    const reasons = refused === undefined ? 0 : seen.filter((text) => refused.test(text)).length;
    const isNoted = found.length === 0 || meaningOf(scene) !== "maybe" || saysAgain(seen.join("\n"));
    const isRight = found.length === counts.answers && reasons === counts.reasons && isNoted;
    if (!isRight)
      wrong.push(`${scene.answer.name} (${scene.answer.means}): not so: ${JSON.stringify(counts)}\n${seen.join("\n")}`);
  }

  expect(wrong).toEqual([]);
});

test("a Retry-After of a minute is waited for: an answer comes after it, and so does Home", async () => {
  await using made = await town("http", 60_000);
  const { playground, developer } = made;
  playground.faults.answer("chat.postMessage", "429", { retryAfterSeconds: 60 });
  await developer.says("show web", { channel: "@gantry" });
  await made.settled();
  playground.faults.answer("views.publish", "429", { retryAfterSeconds: 60 });
  await developer.opensHome();
  await made.settled();

  expect(developer.sees("@gantry").filter(({ text }) => running.test(text))).toHaveLength(1);
  expect(home(developer)).toMatch(/web/u);
});

type Form = { readonly what: string; readonly method: string; readonly opens: (scene: Scene) => Promise<unknown> };

const forms: readonly Form[] = [
  { what: "a form that is to open", method: "views.open", opens: command("scale") },
  { what: "a form that is to be filled", method: "views.update", opens: command("scale web") },
];

test.each(overTransports(forms))("$what, over $transport", async ({ transport, method, opens }) => {
  await using made = await town(transport, 2_000);
  const wrong: string[] = [];
  for (const scene of scenesFor(made, method)) {
    const { person, answer } = scene;
    made.playground.faults.clear();
    slackAnswers(made, [scene], method, nowhere);
    await opens(scene);
    await made.settled();

    const shown = form(person);
    const reasons = toldAlone(scene).filter((text) => /form/iu.test(text));
    const isReady = /Scale/u.test(shown) && !shown.includes("Loading");
    // Somebody else drew it, or they closed it.
    const isOthers = answer.means === "superseded" || (method === "views.update" && answer.means === "gone");
    const isRight = isReady ? reasons.length === 0 : reasons.length === 1 || /form/u.test(shown);
    if (!isRight && !isOthers) wrong.push(`${answer.name} (${answer.means}): ${shown}\n${all(scene, made).join("\n")}`);
    if (person.modal() !== undefined) await person.closes();
  }

  expect(wrong).toEqual([]);
});

test.each(overTransports([{ what: "a form that was sent" }]))("$what, over $transport", async ({ transport }) => {
  await using made = await town(transport, 2_000);
  const wrong: string[] = [];
  for (const [at, scene] of scenesFor(made, "views.update").entries()) {
    const { person, answer } = scene;
    made.playground.faults.clear();
    await command("scale web")(scene);
    await made.settled();
    slackAnswers(made, [scene], "views.update", nowhere);
    await person.submits({ size: String(1 + (at % 9)) });
    await made.settled();

    const isShown = form(person).includes("Started:");
    const alone = toldAlone(scene).filter((text) => text.startsWith("🔄 Started:")).length;
    // A closed form needs nothing.
    const isRight = answer.means === "gone" ? alone === 0 : alone === (isShown ? 0 : 1);
    if (!isRight) wrong.push(`${answer.name} (${answer.means}): ${form(person)}\n${all(scene, made).join("\n")}`);
    if (person.modal() !== undefined) await person.closes();
  }

  expect(wrong).toEqual([]);
});

test.each(overTransports([{ what: "Home" }]))("$what, over $transport", async ({ transport }) => {
  await using made = await town(transport, 2_000);
  const wrong: string[] = [];
  for (const scene of scenesFor(made, "views.publish")) {
    const { person, answer } = scene;
    made.playground.faults.clear();
    slackAnswers(made, [scene], "views.publish", nowhere);
    await person.opensHome();
    await made.settled();
    const first = home(person);
    made.playground.faults.clear();
    made.passMinutes(3);
    await person.opensHome();
    await made.settled();

    const isShown = /web/u.test(first);
    const isExpected = answer.means === "lost" || answer.means === "token" || passes(scene);
    if (isExpected && !isShown) wrong.push(`${answer.name} (${answer.means}): not shown when Slack is well: ${first}`);
    if (!/web/u.test(home(person)))
      wrong.push(`${answer.name} (${answer.means}): not shown when opened again: ${home(person)}`);
  }

  expect(wrong).toEqual([]);
});
