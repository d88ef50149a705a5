import { describe, expect, test } from "vitest";
import { adoptedTown } from "../../support/adopted-services.ts";
import { count } from "../../support/approval-town.ts";
import { othersApprove } from "../../support/policies.ts";
import { card, clicks, form, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

const voted = { policy: othersApprove };

/** The cards on which somebody is asked to approve. */
function asked({ approver }: World): readonly string[] {
  return approver.sees("ops").flatMap(({ text }) => (text.includes("[Approve]") ? [text] : []));
}

const ofHelm = "service shop: it belongs to Helm release shop.";

describe("what the workload API says that it would refuse", () => {
  test.each([
    ["delete shop", `🚫 Gantry may not delete ${ofHelm} Delete it there.`],
    ["memory shop 512", `🚫 Gantry may not change the memory of ${ofHelm} Change it there.`],
    ["domains shop add a.example.com", `🚫 Gantry may not change the domains of ${ofHelm} Change them there.`],
    ["scale queue 4", "🚫 Service queue can't be scaled: the autoscaler queue-hpa sets its size."],
    ["stop queue", "🚫 Service queue can't be stopped: the autoscaler queue-hpa sets its size."],
    ["delete job/tidy", "🚫 Gantry may not delete job tidy: it belongs to CronJob tidy. Delete it there."],
  ])("is refused at once, with its reason, and nobody is asked: %s", async (text, reason) => {
    const { town, writes } = await adoptedTown(undefined, voted);
    await using _town = town;

    const answer = await says(town, town.developer, `/gantry ${text} --reason tidy-up`);

    expect(answer).toContain(reason);
    expect(answer.match(/Nothing was changed/gu)).toHaveLength(1);
    expect(asked(town)).toEqual([]);
    expect(writes).toEqual([]);
  });

  test("costs no further call, and is in history", async () => {
    const { town } = await adoptedTown(undefined, voted);
    await using _town = town;

    await says(town, town.developer, "/gantry memory shop 512");

    expect(count(town, "getService")).toBe(1);
    expect(await says(town, town.developer, "/gantry history")).toContain("wasn't allowed to update shop");
  });

  test("is said by its form before it is sent, and the form stays with the reason and what was typed", async () => {
    const { town, writes } = await adoptedTown(undefined, voted);
    await using _town = town;
    const { developer } = town;

    await says(town, developer, "/gantry memory shop");
    expect(form(developer)).toContain(`🚫 Gantry may not change the memory of ${ofHelm}`);
    await developer.submits({ mib: "512", reason: "the sale begins" });
    await town.settled();

    expect(form(developer)).toContain(`Gantry may not change the memory of ${ofHelm}`);
    expect(form(developer)).toContain("the sale begins");
    expect(asked(town)).toEqual([]);
    expect(writes).toEqual([]);
  });

  test("is said by a form that chooses the workload, and by a preview, which can't be sent", async () => {
    const { town } = await adoptedTown(undefined, voted);
    await using _town = town;
    const { developer } = town;

    await says(town, developer, "/gantry delete");
    await developer.selects("name", "shop");
    await town.settled();
    expect(form(developer)).toContain(`🚫 Gantry may not delete ${ofHelm}`);
    await developer.dismisses();
    await says(town, developer, "/gantry domains shop");
    await developer.submits({ domains: "a.example.com" });
    await town.settled();

    expect(form(developer)).toContain(`Gantry may not change the domains of ${ofHelm}`);
    expect(form(developer)).not.toContain("Request approval");
    expect(asked(town)).toEqual([]);
  });

  test("is left out of a request for several workloads, with its reason, and the others are done", async () => {
    const { town, writes } = await adoptedTown(undefined, voted);
    await using _town = town;
    const { developer, approver } = town;

    await says(town, developer, "/gantry delete redis.cache shop --reason tidy-up");
    expect(card(developer)).toContain("Left out: Gantry may not delete service shop: it belongs to Helm release shop");
    await clicks(town, approver, "Approve");

    expect(writes).toEqual(["redis.cache"]);
    expect(card(developer)).toContain("Left out: Gantry may not delete service shop");
  });

  test("of several workloads, all of which it would refuse, is refused for each", async () => {
    const { town, writes } = await adoptedTown(undefined, voted);
    await using _town = town;

    const answer = await says(town, town.developer, "/gantry delete shop job/tidy --reason tidy-up");

    expect(answer).toContain(`🚫 Gantry may not delete ${ofHelm}`);
    expect(answer).toContain("Gantry may not delete job tidy: it belongs to CronJob tidy.");
    expect(asked(town)).toEqual([]);
    expect(writes).toEqual([]);
  });

  test("is a no of can-i, whatever policy says", async () => {
    const { town } = await adoptedTown(undefined, voted);
    await using _town = town;

    expect(await says(town, town.developer, "/gantry can-i delete shop")).toMatch(
      /^🚫 No\. Gantry may not delete service shop: it belongs to Helm release shop\. Delete it there\.$/u,
    );
    expect(await says(town, town.developer, "/gantry can-i restart shop")).toContain("with 1 approval");
  });

  test("has no button on the workload's card, which names the owner or what sets the size", async () => {
    const { town } = await adoptedTown();
    await using _town = town;

    expect(await says(town, town.developer, "/gantry show shop")).toMatchInlineSnapshot(`
      "🟢 shop · running
      service · beijing1 · shop:1
      1 of 1 instance · 256 MiB each
      Managed by Helm release shop
      Not reported by the workload API: command, environment, ports, volumes
      [Logs] [Restart] [Scale] [Tell me here] [Refresh] [… Stop | Create like this]"
    `);
    expect(await says(town, town.developer, "/gantry show queue")).toMatchInlineSnapshot(`
      "🟢 queue · running
      service · beijing1 · queue:1
      2 of 2 instances
      Size set by autoscaler queue-hpa
      Not reported by the workload API: memory, command, environment, ports, volumes, domains
      [Logs] [Restart] [Tell me here] [Refresh] [… Memory | Domains | Create like this | Delete]"
    `);
    expect(await says(town, town.developer, "/gantry show job/tidy")).toMatchInlineSnapshot(`
      "🟡 tidy · status unknown
      job · us
      Managed by CronJob tidy
      [Logs] [Create like this] [Tell me here] [Refresh]"
    `);
    const shared = await says(town, town.developer, "/gantry show shop --share");
    expect(shared).toContain("[Restart]");
    expect(shared).not.toContain("Delete");
  });
});

describe("what it doesn't say that it would refuse", () => {
  test("is requested, approved, done and undone as ever", async () => {
    const { town, writes } = await adoptedTown(undefined, voted);
    await using _town = town;
    const { developer, approver } = town;

    await says(town, developer, "/gantry scale shop 3 --reason sale");
    await clicks(town, approver, "Approve");
    expect(card(developer)).toMatch(/instances 1 → 3/u);
    await clicks(town, developer, "Undo");
    await clicks(town, approver, "Approve");
    await says(town, developer, "/gantry restart queue --reason stuck");
    await clicks(town, approver, "Approve");

    expect(writes).toEqual(["shop", "shop", "queue/restart"]);
  });

  test("is refused when it is sent, with the reason", async () => {
    const message = "Gantry may not delete service redis.cache: it belongs to Helm release cache. Nothing was changed.";
    const { town } = await adoptedTown({ status: 409, message }, voted);
    await using _town = town;

    await says(town, town.developer, "/gantry delete redis.cache --reason tidy-up");
    expect(asked(town)).toHaveLength(1);
    await clicks(town, town.approver, "Approve");

    expect(card(town.developer)).toContain("it belongs to Helm release cache");
  });

  test("of what is already so is nothing to do", async () => {
    const { town } = await adoptedTown(undefined, voted);
    await using _town = town;

    expect(await says(town, town.developer, "/gantry memory shop 256")).toContain("already has this memory limit");
  });
});
