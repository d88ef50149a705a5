import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { longLog } from "../../support/many-services.ts";
import { gatedTown } from "../../support/gated-town.ts";
import { form, wrong } from "../../support/speak.ts";
import { type Person, world, type World } from "../../support/world.ts";

let gated: Awaited<ReturnType<typeof gatedTown>>;
let town: World;
beforeAll(async () => {
  gated = await gatedTown();
  ({ town } = gated);
});
afterEach(async () => {
  if (town.developer.modal() !== undefined) await town.developer.closes();
});
afterAll(() => gated[Symbol.asyncDispose]());

async function writes(inTown: World, person: Person, text: string): Promise<string> {
  const { ts = "" } = await person.says(text);
  await inTown.settled();
  return ts;
}

test("a message shortcut puts log lines into the thread of the message it guessed the workload from", async () => {
  await using logging = await world({ apiFetch: longLog(30) });
  const { developer, approver } = logging;
  const ts = await writes(logging, approver, "web answers 502 since ten, anybody?");

  await developer.uses("logs_into_thread", { ts });
  await logging.settled();
  expect(form(developer)).toMatch(/service\/web/u);
  await developer.submits({ grep: "orders/7" });
  await logging.settled();

  const replies = approver.sees("ops").filter(({ threadTs, ts: own }) => threadTs === ts && own !== ts);
  expect(replies.map(({ text }) => text).join("\n")).toContain("GET /orders/7 200");
});

test("the form opens at once and fills when the workload API has answered; a message that names no workload is asked about", async () => {
  const { hold, release } = gated;
  const { developer } = town;
  // What was listed before is too old by now.
  town.passMinutes(6);
  hold();
  const ts = await writes(town, developer, "web is slow");

  await developer.uses("logs_into_thread", { ts });
  await town.until(() => form(developer) !== "");
  expect(form(developer)).toMatch(/Finding the workload/u);

  release();
  await town.settled();
  expect(form(developer)).toMatch(/service\/web/u);
  await developer.closes();

  const unnamed = await writes(town, developer, "it is slow again");
  await developer.uses("logs_into_thread", { ts: unnamed });
  await town.settled();
  expect(form(developer)).toMatch(/couldn't find a workload in this message/u);
});

test("the workload of a message is shown with what can be done", async () => {
  const { developer, approver } = town;
  const ts = await writes(town, approver, "is web down?");

  await developer.uses("act_on_workload", { ts });
  await town.settled();
  await developer.submits();
  await town.settled();

  expect(developer.sees("ops").at(-1)?.text).toMatch(/^🟢 web · running[\s\S]*\[Restart\]/u);
  expect(approver.sees("ops").at(-1)?.text).toBe("is web down?");
});

test("Find workload answers in the conversation with the bot, or where the reader is, for them alone; what is wrong is told under its field", async () => {
  const { developer, approver } = town;
  const before = approver.sees("ops").length;
  const ops = developer.channelId("ops");
  await developer.uses("find_workload");
  await town.settled();
  expect(form(developer)).toMatch(/Only you see the answer there/u);
  await developer.submits({ name: "wbe" });
  expect(wrong(developer)["name"]).toMatch(/wbe[\s\S]*Did you mean web\?/u);
  await developer.submits({ name: "web", channel: "C0ELSEWHERE" });
  expect(Object.keys(wrong(developer))).toEqual(["channel"]);

  await developer.submits({ name: "web", channel: ops });
  await town.settled();
  expect(developer.modal()).toBeUndefined();
  expect(developer.sees("ops").at(-1)?.text).toMatch(/web · running/u);
  const others = approver.sees("ops").slice(before);
  expect(others.map(({ text }) => text)).not.toContainEqual(expect.stringMatching(/web · running/u));

  await developer.uses("find_workload");
  await town.settled();
  await developer.submits({ name: "web" });
  await town.settled();
  expect(developer.sees("@gantry").at(-1)?.text).toMatch(/web · running/u);
});
