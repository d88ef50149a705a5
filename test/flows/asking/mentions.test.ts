import { afterAll, beforeAll, expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, idOf } from "../../support/speak.ts";
import { longLog } from "../../support/many-services.ts";
import { newest, type Person, world, type World } from "../../support/world.ts";

let town: World;
beforeAll(async () => void (town = await approvalTown()));
afterAll(() => town.close());

/** Begins a thread in #ops and gives its `ts`. */
async function talk(inTown: World, person: Person): Promise<string> {
  await person.says("orders time out, who looks?");
  await inTown.settled();
  return person.sees("ops").at(-1)?.ts ?? "";
}

/** What a person sees in a thread, without its first message. */
function repliesIn(person: Person, thread: string): readonly string[] {
  return person
    .sees("ops")
    .filter(({ threadTs, ts }) => threadTs === thread && ts !== thread)
    .map(({ text }) => text);
}

test("a mention in a thread is answered in that thread, a typo only to its author, and a change has its card and its story there", async () => {
  const { developer, approver } = town;
  const thread = await talk(town, developer);
  const asks = async (person: Person, text: string): Promise<void> => {
    await person.says(text, { channel: "ops", thread });
    await town.settled();
  };

  await asks(developer, "@gantry shwo web");
  expect(repliesIn(developer, thread).at(-1)).toMatch(/Did you mean show/u);
  expect(repliesIn(approver, thread).join("\n")).not.toMatch(/Did you mean/u);

  await asks(developer, "@gantry show web");
  expect(repliesIn(approver, thread).at(-1)).toContain("🟢 web · running");

  await asks(developer, '@gantry restart web --reason "it leaks"');
  const asked = repliesIn(approver, thread).find((text) => text.includes("Restart web?")) ?? "";
  await asks(approver, `@gantry approve ${idOf(asked)}`);
  expect(count(town, "restartService")).toBe(1);
  // The channel shows the card in which somebody has to decide, and nothing else of the thread.
  expect(card(developer)).toBe("");
  const shown = approver.sees("ops").filter(({ threadTs, isBroadcast }) => threadTs === thread && isBroadcast);
  expect(shown.map(({ text }) => idOf(text))).toEqual([idOf(asked)]);
  expect(repliesIn(developer, thread).join("\n")).toMatch(
    /it leaks[\s\S]*approved by Alex Kim[\s\S]*✅ web restarted · @dana/u,
  );
});

test("a mention in a channel begins a thread, and is answered once although Slack delivers it twice", async () => {
  const { developer } = town;

  // The words of the slash command do as well.
  const { ts = "" } = await developer.says("hey @Gantry /gantry scale web 3");
  await town.settled();

  expect(count(town, "updateService")).toBe(1);
  expect(repliesIn(developer, ts).filter((text) => text.includes("instances 2 → 3"))).toHaveLength(1);
  // Nobody has to decide about it.
  expect(developer.sees("ops").some(({ threadTs, isBroadcast }) => threadTs === ts && isBroadcast)).toBe(false);
});

test("a log that is asked for in a thread goes into that thread, head and lines", async () => {
  await using logging = await world({ apiFetch: longLog(30) });
  const { developer } = logging;
  const thread = await talk(logging, developer);

  await developer.says("@gantry logs service/web --grep orders/7", { channel: "ops", thread });
  await logging.settled();

  const [, head, ...lines] = repliesIn(developer, thread);
  expect(head).toMatch(/^📄 web · all 30 lines of today · 1 match/u);
  expect(lines.join("\n")).toContain("GET /orders/7 200");
  expect(developer.sees("ops").every(({ threadTs, ts }) => threadTs === thread || ts === thread)).toBe(true);
});

test("in the conversation with the bot plain words suffice, and an answer that Slack lost is sent again with a note", async () => {
  const { developer } = town;
  const before = developer.sees("@gantry").length;
  await developer.says("list services", { channel: "@gantry" });
  await town.settled();
  expect(newest(developer, "@gantry")).toContain("web");
  // The bot doesn't answer itself.
  expect(developer.sees("@gantry")).toHaveLength(before + 2);

  const thread = developer.sees("@gantry").at(-1)?.ts ?? "";
  town.playground.faults.answer("chat.postMessage", "lost", 1);
  await developer.says("restart nothere", { channel: "@gantry", thread });
  for (let sweeps = 0; sweeps < 4; sweeps += 1) {
    town.passMinutes(2);
    await town.sweep();
    await town.settled();
  }

  const told = developer.sees("@gantry").filter(({ text }) => text.includes("nothere") && !text.startsWith("restart"));
  expect(told.map(({ text }) => text.includes("Sent again: you may have it already."))).toEqual([false, true]);
});

test("a token is not asked for in a message, and a guest is told why not", async () => {
  const { developer, guest } = town;

  await developer.says("@gantry connect");
  await town.settled();
  expect(newest(developer)).toMatch(/Never send a token in a message/u);

  await guest.says("@gantry show web");
  await town.settled();
  expect(newest(guest)).toMatch(/guest/u);
});
