import { describe, expect, test } from "vitest";
import { othersApprove } from "../../support/policies.ts";
import { townThat } from "../../support/shop-town.ts";
import { card, clicks, says } from "../../support/speak.ts";

/** Like `othersApprove`, but shops take a rule of their own. */
function shopsTake(rule: string): string {
  return othersApprove.replace(
    "rules:",
    `rules:\n  - { name: shops, who: members, does: [disruptive], workloads: { name: "shop-*" }, then: ${rule} }`,
  );
}

describe("every workload of a request has to be allowed", () => {
  test("refused for one, it is refused, and that one is named", async () => {
    const { town, writes } = await townThat(() => undefined, ["shop-a"], shopsTake("refuse"));
    await using _town = town;

    const answer = await says(town, town.developer, "/gantry restart web shop-a");

    expect(answer).toMatch(/🚫/u);
    expect(answer).toContain("shop-a");
    expect(card(town.developer)).toBe("");
    expect(writes).toEqual([]);
  });

  test("the most approvals that one of them needs count for all", async () => {
    const rule = "{ approve: { votes: 2, from: [channel-members], expires: 1h } }";
    const { town, writes } = await townThat(() => undefined, ["shop-a"], shopsTake(rule));
    await using _town = town;

    await says(town, town.developer, "/gantry restart web shop-a");
    await clicks(town, town.approver, "Approve");
    expect(writes).toEqual([]);
    await clicks(town, town.playground.as("omar"), "Approve");

    expect(writes).toEqual(["web", "shop-a"]);
  });

  test("where they need different approvers, it says to ask one by one", async () => {
    const rule = "{ approve: { from: [U0OMAR], expires: 1h } }";
    const { town } = await townThat(() => undefined, ["shop-a"], shopsTake(rule));
    await using _town = town;

    expect(await says(town, town.developer, "/gantry restart web shop-a")).toMatch(
      /different approvals, so one request can't hold them\. Nothing was changed\.\nRequest them one by one\./u,
    );
  });

  test("a policy that changes before the approval is asked about each of them", async () => {
    const { town, writes } = await townThat(() => undefined, ["shop-a"], othersApprove);
    await using _town = town;
    await says(town, town.developer, "/gantry restart web shop-a");

    town.setPolicy(shopsTake("refuse"));
    await clicks(town, town.approver, "Approve");

    expect(writes).toEqual([]);
    expect(card(town.developer)).toMatch(/❌ Nothing was restarted\n[^]*You can't restart “shop-a”/u);
  });
});

describe("a pattern", () => {
  test("means every workload that matches, sorted by name, and the card lists them", async () => {
    const { town, writes } = await townThat(() => undefined, ["shop-b", "shop-a", "shop-c", "shop-d"], othersApprove);
    await using _town = town;

    await says(town, town.developer, '/gantry restart "shop-*"');

    expect(card(town.developer)).toMatch(/⏳ Restart 4 workloads\?\n• shop-a\n• shop-b\n• shop-c\n• shop-d\n/u);
    await clicks(town, town.approver, "Approve");
    expect(writes).toEqual(["shop-a", "shop-b", "shop-c", "shop-d"]);
  });

  test("that matches one workload is a request for that one, as if it was named", async () => {
    const { town, writes } = await townThat(() => undefined, ["shop-a"]);
    await using _town = town;

    await says(town, town.developer, "/gantry restart shop-*");

    expect(writes).toEqual(["shop-a"]);
    expect(card(town.developer)).toMatch(/^✅ shop-a restarted/u);
  });

  test("that matches nothing says so, with names that are near", async () => {
    const { town } = await townThat(() => undefined, ["shop-a"]);
    await using _town = town;

    expect(await says(town, town.developer, "/gantry restart shpo-*")).toMatch(
      /No workload matches shpo-\*\.\nDid you mean shop-a\?/u,
    );
  });

  test("that matches more than 20 says how many, and nothing is done", async () => {
    const many = Array.from({ length: 21 }, (_, at) => `shop-${at + 10}`);
    const { town, writes } = await townThat(() => undefined, many);
    await using _town = town;

    expect(await says(town, town.developer, "/gantry restart shop-*")).toMatch(
      /shop-\* matches 21 workloads, and I act on at most 20 at once\. Nothing was changed\./u,
    );
    expect(writes).toEqual([]);
  });

  test("covers only workloads that the person may see and restart, and reveals no others", async () => {
    const hidden = `
rules:
  - { name: some are private, who: members, does: anything, workloads: { name: "shop-x*" }, then: refuse }
  - { name: one is fixed, who: members, does: [disruptive], workloads: { name: "shop-fixed" }, then: refuse }
  - { name: the rest, who: members, does: anything, then: allow }
`;
    const { town, writes } = await townThat(() => undefined, ["shop-a", "shop-b", "shop-x1", "shop-fixed"], hidden);
    await using _town = town;
    const { developer } = town;

    await says(town, developer, "/gantry restart shop-*");

    expect(writes).toEqual(["shop-a", "shop-b"]);
    expect(
      developer
        .sees("ops")
        .map(({ text }) => text)
        .join("\n"),
    ).not.toMatch(/shop-x1|shop-fixed/u);
    const nothing = await says(town, developer, "/gantry restart shop-x*");
    expect(nothing).toMatch(/No workload matches shop-x\*\.\nDid you mean shop-a or shop-b\?/u);
    expect(writes).toEqual(["shop-a", "shop-b"]);
  });

  test.each(["all", "ALL", "everything", "*", '"**"', "service/*", "web all"])(
    "doesn't mean everything: %s",
    async (words) => {
      const { town } = await townThat(() => undefined, []);
      await using _town = town;

      const answer = await says(town, town.developer, `/gantry restart ${words}`);

      expect(answer).toMatch(
        /I don't act on everything at once\.\nName the workloads, or use a pattern like "shop-\*"\./u,
      );
    },
  );
});

test("who may not see one of the workloads doesn't see the request", async () => {
  const policy = `
rules:
  - { name: dana asks, who: U0DANA, does: [disruptive], then: { approve: { from: [U0ALEX], expires: 1h } } }
  - { name: shops are private, who: U0OMAR, does: anything, workloads: { name: "shop-*" }, then: refuse }
  - { name: all look, who: members, does: read, then: allow }
`;
  const { town } = await townThat(() => undefined, ["shop-a"], policy);
  await using _town = town;
  await says(town, town.developer, "/gantry restart web shop-a");

  const omar = await says(town, town.playground.as("omar"), "/gantry pending");
  const alex = await says(town, town.approver, "/gantry pending");

  expect(omar).not.toContain("shop-a");
  expect(omar).not.toContain("restart web");
  expect(alex).toContain("Restart web and shop-a");
});

test("can-i asks about one workload at a time", async () => {
  const { town } = await townThat(() => undefined, ["worker"]);
  await using _town = town;

  expect(await says(town, town.developer, "/gantry can-i restart web worker")).toContain(
    "This takes one workload at a time.",
  );
});
