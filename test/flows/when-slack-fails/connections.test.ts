import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, clicks, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

// What Slack and the network do to the connections of Socket Mode. Always told over Socket Mode.

async function connected(): Promise<World> {
  const town = await approvalTown({ transport: "socket" });
  await town.until(() => town.playground.links.names().length === 2);
  return town;
}

test("people notice nothing of a refresh of all connections", async () => {
  await using town = await connected();
  const { links } = town.playground;
  const old = links.names();
  const answered: boolean[] = [];
  const types = async () => void answered.push((await town.developer.says("/gantry list")).acked);

  links.refresh({ warnMs: 3_000 });
  await types();
  town.passSeconds(3);
  await types();
  await town.until(() => links.names().length === 2 && !links.names().some((name) => old.includes(name)));
  await types();
  await town.settled();

  expect(answered).toEqual([true, true, true]);
});

test("a request and its approval survive that every connection breaks off", async () => {
  await using town = await connected();
  const { links } = town.playground;
  await says(town, town.developer, "/gantry restart web");
  links.drop("all");
  await town.until(() => links.names().length > 0);
  await clicks(town, town.approver, "Approve");

  expect(card(town.developer)).toMatch(/restarted/iu);
  expect(count(town, "restartService")).toBe(1);
});

test("a mention that Slack delivers on both connections runs once", async () => {
  await using town = await connected();
  town.playground.faults.deliverTwice = true;
  await town.developer.says("@gantry scale web 3");
  await town.settled();
  const connections = town.playground
    .transcript()
    .filter(({ kind }) => kind === "event_callback")
    .map(({ envelope }) => envelope?.["connection"]);

  expect(new Set(connections).size).toBe(2);
  expect(count(town, "updateService")).toBe(1);
});

test("a cut network is an error of Slack's for who types, and afterwards everything works", async () => {
  await using town = await connected();
  const { network } = town.playground.faults;
  network.cut();
  let error: string | undefined;
  void town.developer.says("/gantry scale web 3").then((said) => (error = said.error));
  await town.until(() => {
    town.passSeconds(1);
    return error !== undefined;
  });
  network.restore();

  expect(error).toBe("operation_timeout");
  await town.until(async () => (await says(town, town.developer, "/gantry list")).includes("web"));
});

test("when no connection is open, Slack says so, and the bot isn't ready", async () => {
  await using town = await connected();
  const { links } = town.playground;
  links.mute(true);
  links.drop("all");
  const { error } = await town.developer.says("/gantry list");
  const ready = await fetch(`${town.botUrl()}/readyz`);

  expect(error).toBe("dispatch_failed");
  expect(ready.status).toBe(503);
  expect(await ready.text()).toContain("No connection to Slack is open");
});
