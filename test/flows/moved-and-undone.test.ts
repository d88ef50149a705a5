import { expect, test } from "vitest";
import { approvalTown, count } from "../support/approval-town.ts";
import { quorum } from "../support/policies.ts";
import { card, clicks, idOf, says } from "../support/speak.ts";

test("when the workload moved in between, nothing runs, and one button asks again", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 1");
  await town.api.send({
    op: "updateService",
    path: { region: "beijing1", service_name: "web" },
    query: undefined,
    body: { target_instance_size: 5 },
  });
  await town.until(async () => (await town.service("web")).status === "Running");

  await clicks(town, approver, "Approve");

  expect(count(town, "updateService")).toBe(0);
  expect(card(developer)).toMatch(/instances/u);
  expect(card(developer)).toMatch(/5/u);

  await clicks(town, developer, "Request 5 → 1");
  expect(card(developer)).toMatch(/instances 5 → 1/iu);
  await clicks(town, approver, "Approve");
  expect(count(town, "updateService")).toBe(1);
  expect((await town.service("web")).target_instance_size).toBe(1);
});

test("a service that was deleted and made anew is another one", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  const path = { region: "beijing1", service_name: "web" };
  await town.api.send({ op: "deleteService", path, query: undefined, body: undefined });
  await town.until(async () => (await town.services()).length === 0);
  const body = { target_instance_size: 2, containers: [{ image: "test/lines" }] };
  await town.api.send({ op: "createService", path, query: undefined, body });
  await town.until(async () => (await town.service("web")).status === "Running");

  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(0);
  expect(card(developer)).toMatch(/another/u);
});

test("a finished change is taken back by a button, under policy like any other", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 4");
  await town.until(async () => (await town.service("web")).status === "Running");

  await clicks(town, developer, "Undo");

  expect(card(developer)).toMatch(/instances 4 → 2/iu);
  expect((await town.service("web")).target_instance_size).toBe(4);
  await clicks(town, approver, "Approve");
  expect((await town.service("web")).target_instance_size).toBe(2);
});

test("a card that was deleted is posted anew once, and works", async () => {
  await using town = await approvalTown({ policy: quorum });
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 4");
  const first = developer.sees("ops").findLast(({ text }) => /^⏳ .*\?/u.test(text));
  town.playground.people.removeMessage("ops", first?.ts ?? "");
  await says(town, approver, `/gantry approve ${idOf(first?.text ?? "")}`);

  expect(card(developer)).toMatch(/1 of 2/u);
  await clicks(town, town.playground.as("omar"), "Approve");
  expect((await town.service("web")).target_instance_size).toBe(4);
});

test("a bot that is restarted while a request waits shows the same card, and goes on", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  await town.restartBot();

  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
  const cards = developer
    .sees("ops")
    .filter(({ text, isEphemeral }) => !isEphemeral && /restart web|web restarted|restarting web/iu.test(text));
  expect(cards.filter(({ threadTs, ts }) => threadTs === undefined || threadTs === ts)).toHaveLength(1);
});
