import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { buttons } from "../../support/kill-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { card, form, home, idOf, says, saysIn, whispers } from "../../support/speak.ts";
import type { Person, World } from "../../support/world.ts";

/** How often the bot called a method of Slack. */
function asked({ playground }: World, method: string): number {
  return playground.transcript().filter(({ direction, kind }) => direction === "from bot" && kind === method).length;
}

async function laterOn(town: World, minutes: number): Promise<void> {
  town.passMinutes(minutes);
  await town.sweep();
}

async function hours(town: World, most: number): Promise<void> {
  for (let hour = 0; hour < most; hour += 1) await laterOn(town, 60);
}

function inDirect(person: Person): readonly string[] {
  return person.sees("@gantry").map(({ text }) => text);
}

async function readyz(town: World): Promise<string> {
  const response = await fetch(`${town.botUrl()}/readyz`);
  return `${response.status} ${await response.text()}`;
}

/** The log's lines that explain a reference in a text. */
function explained(town: World, text: string): readonly Record<string, unknown>[] {
  const reference = /[Rr]eference `?([0-9a-f]{8})/u.exec(text)?.[1];
  return town.logged().filter((line) => reference !== undefined && line["reference"] === reference);
}

test.each([24, 600])(
  "while Slack limits updates in one channel for %i s, all else goes on",
  async (retryAfterSeconds) => {
    await using town = await approvalTown();
    const { playground, developer } = town;
    playground.faults.inviteBot("general");
    playground.faults.answer("chat.update", "429", { channel: "ops", retryAfterSeconds });
    await says(town, developer, "/gantry restart web");
    expect(buttons(town)).toEqual([]);

    await saysIn(town, { person: developer, channel: "general" }, "/gantry stop web");
    expect(card(developer, "general")).toMatch(/Approve/u);
    await says(town, developer, "/gantry scale web");
    expect(form(developer)).toMatch(/web\s+· running · 2 instances/u);
    await developer.opensHome();
    await town.settled();
    expect(home(developer)).toMatch(/1 workload · 1 healthy/u);
    expect(asked(town, "chat.update")).toBe(2);

    playground.faults.clear();
    await laterOn(town, retryAfterSeconds / 60 - 0.1);
    expect(buttons(town)).toEqual([]);
    await laterOn(town, 0.2);
    expect(buttons(town)).toHaveLength(3);
  },
);

test("a request whose card can't be posted is told to its requester with the reason, and so is its end", async () => {
  await using town = await approvalTown();
  const { playground, developer, approver } = town;
  playground.faults.answer("chat.postMessage", { error: "restricted_action" }, { channel: "ops" });

  await says(town, developer, "/gantry restart web");
  await laterOn(town, 1);
  await laterOn(town, 1);
  const [waiting = "", ...more] = whispers(developer);

  expect(more).toEqual([]);
  expect(waiting).toMatch(/There's no card in #ops: posting in the channel is restricted/u);
  expect(explained(town, waiting)).toContainEqual(
    expect.objectContaining({ method: "chat.postMessage", slackError: "restricted_action", target: "C0OPS" }),
  );
  await saysIn(town, { person: approver, channel: "general" }, `/gantry approve ${idOf(waiting)}`);
  await laterOn(town, 1);
  await hours(town, 2);

  expect(count(town, "restartService")).toBe(1);
  expect(whispers(developer)).toEqual([waiting, expect.stringMatching(/approved by Alex Kim/iu)]);
});

test("news that Slack took without an answer says so when it comes another way", async () => {
  await using town = await approvalTown();
  const { playground, developer } = town;
  playground.faults.answer("chat.postMessage", { error: "restricted_action" }, { channel: "ops" });
  playground.faults.answer("response_url", "lost", { times: 3 });

  await says(town, developer, "/gantry restart web");
  await laterOn(town, 1);
  await laterOn(town, 1);

  const [first = "", ...again] = [...whispers(developer), ...inDirect(developer)];
  expect(first).toMatch(/There's no card in #ops/u);
  expect(again).toHaveLength(3);
  expect(again.filter((text) => !text.includes("Sent again"))).toEqual([]);
});

test.each(["a_code_nobody_knows", "msg_too_long", "block_mismatch"])(
  "an update that Slack always refuses (%s) is tried less and less often, and the requester is told once",
  async (error) => {
    await using town = await approvalTown();
    const { playground, developer, approver } = town;
    await says(town, developer, "/gantry restart web");
    const id = idOf(card(developer));
    playground.faults.answer("chat.update", { error });
    const before = asked(town, "chat.update");

    await saysIn(town, { person: approver, channel: "general" }, `/gantry approve ${id}`);
    for (let minute = 0; minute < 6 * 60; minute += 5) await laterOn(town, 5);

    expect(count(town, "restartService")).toBe(1);
    // Some are sent twice, with blocks and without.
    expect(asked(town, "chat.update") - before).toBeLessThanOrEqual(2 * 15);
    const replies = playground.messages("ops").flatMap((message) => message.replies);
    const told = replies.filter(({ text }) => /restarted|Took effect/u.test(text));
    expect(told.map(({ text }) => text)).toEqual([
      expect.stringMatching(new RegExp(`^Dana Reyes[\\s\\S]*${error}`, "u")),
    ]);
    expect([...whispers(developer), ...inDirect(developer)].filter((text) => text.includes(id))).toEqual([]);
  },
);

test("a card that Slack doesn't take, for a reason nobody knows, is tried less and less often, until it does", async () => {
  await using town = await approvalTown({ policy: openPolicy });
  const { playground, developer } = town;
  playground.faults.answer("chat.postMessage", { error: "a_code_nobody_knows" }, { channel: "ops" });

  await says(town, developer, "/gantry scale web 3");
  for (let minute = 0; minute < 6 * 60; minute += 5) await laterOn(town, 5);

  expect(asked(town, "chat.postMessage")).toBeLessThanOrEqual(15);
  expect(whispers(developer)).toEqual([expect.stringMatching(/instances 2 → 3.*a_code_nobody_knows/su)]);
  playground.faults.clear();
  await hours(town, 6);
  expect(card(developer)).toMatch(/^✅ web scaled to 3/u);
  expect(whispers(developer)).toHaveLength(1);
});

test("a form that Slack refuses is told with the reason and a reference, not as a late one", async () => {
  await using town = await approvalTown();
  for (const [fault, why] of [
    [{ error: "view_too_large" }, "Slack refused it (view_too_large)"],
    ["429", "Slack's rate limit is reached"],
  ] as const) {
    town.playground.faults.clear();
    town.playground.faults.answer("views.open", fault);

    const told = await says(town, town.developer, "/gantry scale web");

    expect(told).toContain(`The form didn't open: ${why}. Nothing was changed`);
    expect(explained(town, told)).toEqual([expect.objectContaining({ method: "views.open", target: "U0DANA" })]);
  }
});

test("/readyz says that Slack refuses the token", async () => {
  await using town = await approvalTown();
  const { playground, developer } = town;
  expect(await readyz(town)).toMatch(/^200/u);

  for (const tokenError of ["token_revoked", "account_inactive"]) {
    playground.faults.tokenError = tokenError;
    await developer.opensHome();
    await town.settled();
    expect(await readyz(town)).toMatch(new RegExp(`^503.*Slack rejected the bot token \\(${tokenError}\\)`, "u"));

    playground.faults.clear();
    await developer.opensHome();
    await town.settled();
    expect(await readyz(town)).toMatch(/^200/u);
  }
});

test("/readyz notices a revoked token while nobody asks the bot for anything, and that it is accepted again", async () => {
  await using town = await approvalTown();
  town.playground.faults.tokenError = "token_revoked";

  const later = async (minutes: number): Promise<void> => {
    town.passMinutes(minutes);
    // Stores a heartbeat: without one, /readyz would blame the database.
    await town.sweep();
  };

  await later(2);
  await town.until(async () => /^503 .*token/u.test(await readyz(town)));

  town.playground.faults.clear();
  await later(1);
  await town.until(async () => (await readyz(town)).startsWith("200"));
  expect(asked(town, "auth.test")).toBe(3);
});
