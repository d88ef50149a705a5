import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { gatedTown } from "../../support/gated-town.ts";
import { buttons } from "../../support/kill-town.ts";
import { quorum } from "../../support/policies.ts";
import { card, idOf, says, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** Says it, and deletes it while the bot reads from the workload API. */
async function saysAndDeletes(text: string, before: (town: World) => void = () => undefined) {
  const gate = await gatedTown();
  const { town, hold, release } = gate;
  before(town);
  hold();
  const { ts = "" } = await town.developer.says(text);
  await town.until(() => town.calls().length > 0);
  await town.developer.deletes(ts);
  release();
  await town.settled();
  return gate;
}

function inChannel({ playground }: World): readonly string[] {
  return playground.messages("ops").map(({ text }) => text);
}

test("a question that was deleted before its answer is answered to its author alone", async () => {
  await using gate = await saysAndDeletes("@gantry show web");
  const { town } = gate;
  const { developer, approver } = town;

  expect(inChannel(town)).toEqual([]);
  expect(approver.sees("ops")).toEqual([]);
  const answers = [...whispers(developer), ...developer.sees("@gantry").map(({ text }) => text)];
  expect(answers).toEqual([expect.stringMatching(/web · running/u)]);
});

test("a request whose message was deleted gets its card in the channel, with its story below it, and works", async () => {
  await using gate = await saysAndDeletes("@gantry restart web");
  const { town } = gate;
  const { playground, approver, developer } = town;

  expect(inChannel(town)).toHaveLength(1);
  expect(buttons(town)).toHaveLength(3);
  await approver.clicks("Approve");
  await town.settled();

  expect(count(town, "restartService")).toBe(1);
  expect(card(developer)).toMatch(/web restarted/u);
  const [posted, ...more] = playground.messages("ops");
  expect(more).toEqual([]);
  expect(posted?.replies.map(({ text }) => text).join("\n")).toMatch(/^(?:✅|🟡) .* · Dana Reyes/mu);
});

test.each(["429", { error: "cant_delete_message" }] as const)(
  "a card that Slack put outside of its deleted thread, and doesn't remove there, is the only one: %s",
  async (fault) => {
    await using gate = await saysAndDeletes("@gantry restart web", (town) =>
      town.playground.faults.answer("chat.delete", fault, { times: 1, retryAfterSeconds: 150 }),
    );
    const { town } = gate;

    expect(inChannel(town)).toHaveLength(1);
    expect(buttons(town)).toHaveLength(3);
  },
);

test("a card whose thread lost its first message is still drawn", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  const { ts = "" } = await developer.says("@gantry restart web");
  await town.settled();
  await developer.deletes(ts);

  await approver.clicks("Approve", { thread: ts });
  await town.settled();

  expect(count(town, "restartService")).toBe(1);
  expect(town.thread("ops").join("\n")).toMatch(/This message was deleted\.[\s\S]*web restarted/u);
});

test("a card that somebody deleted is posted again, once", async () => {
  await using town = await approvalTown();
  const { developer, approver, playground } = town;
  await says(town, developer, "/gantry stop web");
  const [deleted] = playground.messages("ops");
  playground.people.removeMessage("ops", deleted?.ts ?? "");

  await says(town, approver, `/gantry approve ${idOf(deleted?.text ?? "")}`);

  expect(count(town, "stopService")).toBe(1);
  const [posted, ...more] = playground.messages("ops");
  expect(more).toEqual([]);
  expect(posted?.ts).not.toBe(deleted?.ts);
  expect(buttons(town)).toEqual([]);
});

test("when people delete both cards of a request, it can still be decided, and its requester learns the end", async () => {
  await using town = await approvalTown({ policy: quorum });
  const { developer, approver, playground } = town;
  await says(town, developer, "/gantry restart web");
  const id = idOf(card(developer));
  const deleteCard = (): void => {
    const [posted] = playground.messages("ops").filter(({ text }) => text.includes(id));
    playground.people.removeMessage("ops", posted?.ts ?? "");
  };
  deleteCard();
  await says(town, approver, `/gantry approve ${id}`);
  deleteCard();
  await says(town, playground.as("omar"), `/gantry approve ${id}`);
  town.passMinutes(1);
  await town.sweep();

  expect(count(town, "restartService")).toBe(1);
  expect(inChannel(town).filter((text) => text.includes(id))).toEqual([]);
  const told = [...whispers(developer), ...developer.sees("@gantry").map(({ text }) => text)];
  expect(told.filter((text) => text.includes(id))).toEqual([
    expect.stringMatching(
      /(?:🔄 Restarting web|✅ web restarted)[\s\S]*The card in #ops can't be updated: the message was deleted/u,
    ),
  ]);
});

test("what policy hides in direct messages isn't answered there instead of in the channel", async () => {
  const hidden = "{ name: not there, who: everyone, where: dm, does: anything, then: refuse }";
  const all = "{ name: all, who: members, does: [read, disruptive], then: allow }";
  await using town = await approvalTown({ policy: `rules: [${hidden}, ${all}]` });
  const { developer, playground } = town;
  await says(town, developer, "/gantry restart web");
  await says(town, town.approver, "/gantry restart web --reason again");
  const files = () => developer.sees("@gantry").flatMap((message) => message.files);
  for (const method of ["chat.postMessage", "chat.postEphemeral"]) {
    playground.faults.answer(method, { error: "restricted_action" }, { channel: "ops" });
  }

  for (const words of ["show web", "logs web"]) await says(town, developer, `@gantry ${words}`);
  await says(town, developer, "/gantry history --json");

  const told = developer.sees("@gantry").map(({ text }) => text);
  expect(told.filter((text) => text.includes("the policy rule not there forbids it"))).toHaveLength(2);
  expect(told.join("\n")).not.toMatch(/of 2 instances|heartbeat/u);
  expect(files()).toHaveLength(1);
  expect(JSON.stringify(files())).not.toContain("Alex");
});
