import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { notFullRun } from "../../support/full-run.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { onCallDecides, othersApprove } from "../../support/policies.ts";
import { card, form, home, says, saysIn, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** Everything that one person was told alone, in #ops and by direct message. */
function told({ developer }: World): string {
  return [...whispers(developer), ...developer.sees("@gantry").map(({ text }) => text)].join("\n");
}

describe("without a scope, people read what is missing, and nothing is changed", () => {
  let town: World;
  beforeAll(async () => {
    town = await approvalTown({ policy: openPolicy });
    town.playground.people.invite("incidents", "gantry");
    await says(town, town.developer, "/gantry scale web 3");
  });
  afterAll(() => town.close());

  test.each([
    ["users:read", "ops", "restart web", othersApprove],
    ["channels:read", "ops", "restart web", othersApprove],
    ["groups:read", "incidents", "restart web", othersApprove],
    ["usergroups:read", "ops", "restart web", onCallDecides],
    ["files:write", "ops", "history --json", othersApprove],
  ] as const)("%s, in #%s", async (scope, channel, words, policy) => {
    town.setPolicy(policy);
    town.passMinutes(2);
    town.playground.faults.missingScopes = [scope];

    const answer = await saysIn(town, { person: town.developer, channel }, `/gantry ${words}`);

    expect(`${answer}\n${told(town)}`).toContain(`the Slack app lacks the ${scope} scope`);
    expect(answer).toMatch(/Contact your Gantry admin.*Reference [0-9a-f]{8}/su);
    expect(count(town, "restartService")).toBe(0);
  });
});

test("without the scope chat:write a request is still answered, decided and told, to its requester alone", async () => {
  await using town = await approvalTown();
  const { developer, approver, playground } = town;
  playground.faults.missingScopes = ["chat:write"];

  const answer = await says(town, developer, "/gantry restart web");
  expect(answer).toMatch(/There's no card in #ops: the Slack app lacks the chat:write scope/u);
  expect(await says(town, developer, "/gantry show web")).toMatch(/web · running/u);
  const [pending] = await town.store().pendingChanges("T0PLAYGR");
  await saysIn(town, { person: approver, channel: "general" }, `/gantry approve ${pending?.id}`);
  town.passMinutes(1);
  await town.sweep();

  expect(count(town, "restartService")).toBe(1);
  expect(whispers(developer).at(-1)).toMatch(/approved by Alex Kim/u);
  expect(card(developer)).toBe("");
});

test("with a revoked token, a command is still answered: nothing was changed, and why", async () => {
  await using town = await approvalTown();
  town.playground.faults.tokenError = "token_revoked";

  const answer = await says(town, town.developer, "/gantry restart web");

  expect(answer).toMatch(/Couldn't read your Slack profile: Slack rejected the bot token \(token_revoked\)/u);
  expect(answer).toMatch(/Nothing was changed.*Contact your Gantry admin/su);
  expect(count(town, "restartService")).toBe(0);
});

test("a form whose opening Slack confirms after 3 s is filled", { skip: notFullRun !== undefined }, async () => {
  await using town = await approvalTown();
  const { developer, playground } = town;
  playground.faults.lateMs = 3_000;
  playground.faults.answer("views.open", "late", 1);

  await developer.says("/gantry scale web");
  await town.settled();

  expect(form(developer)).toMatch(/web\s+· running · 2 instances/u);
  expect(whispers(developer)).toEqual([]);
});

describe("what Slack refuses once is told, and works otherwise", () => {
  let town: World;
  beforeAll(async () => void (town = await approvalTown()));
  afterEach(async () => {
    town.playground.faults.clear();
    if (town.developer.modal() !== undefined) await town.developer.closes();
  });
  afterAll(() => town.close());

  test("where uploads are disabled, people read that instead of a file", async () => {
    const { developer, playground } = town;
    await says(town, developer, "/gantry restart web");
    playground.faults.refusesUploads = true;

    const answer = await says(town, developer, "/gantry history --json");

    expect(answer).toMatch(/Couldn't post the whole thread: file uploads are disabled in this workspace\. Contact/u);
  });

  test("a form that Slack refuses to fill says so, where it said that it loads", async () => {
    const { developer, playground } = town;
    playground.faults.answer("views.update", { error: "view_too_large" }, 1);

    await developer.says("/gantry scale web");
    await town.settled();

    expect(form(developer)).toMatch(/The form couldn't be drawn: Slack refused it \(view_too_large\)/u);
    expect(form(developer)).not.toMatch(/Loading/u);
  });

  test("a form that Slack refuses to draw at all is told beside it", async () => {
    const { developer, playground } = town;
    const before = whispers(developer).length;
    playground.faults.answer("views.update", "blocks");

    await developer.says("/gantry scale web");
    await town.settled();

    expect(whispers(developer).slice(before)).toEqual([
      expect.stringMatching(/The form couldn't be drawn.*Nothing was changed/su),
    ]);
  });

  test("a Home that Slack refuses says so, and works again when it is taken", async () => {
    const { developer, playground } = town;
    playground.faults.answer("views.publish", { error: "view_too_large" }, 1);

    await developer.opensHome();
    await town.settled();
    expect(home(developer)).toMatch(/Home couldn't be drawn: Slack refused it \(view_too_large\)/u);

    await developer.clicks("Refresh", { home: true });
    await town.settled();
    expect(home(developer)).toMatch(/1 workload · 1 healthy/u);
  });
});

test("whatever Slack delivers twice is done and answered once", async () => {
  await using town = await approvalTown();
  const { developer, approver, playground } = town;
  playground.faults.deliverTwice = true;

  await developer.says("@gantry show web");
  await developer.says("show web", { channel: "@gantry" });
  await developer.says("@gantry restart web");
  await town.settled();
  await approver.clicks("Approve");
  await town.settled();
  await says(town, developer, "/gantry scale web");
  await developer.submits({ Instances: "3" });
  await town.settled();

  expect([count(town, "restartService"), count(town, "updateService")]).toEqual([1, 1]);
  expect(developer.sees("@gantry").filter(({ author }) => author === "gantry")).toHaveLength(1);
  const asked = playground.messages("ops").find(({ text }) => text.includes("show web"));
  expect(asked?.replies).toHaveLength(1);
});
