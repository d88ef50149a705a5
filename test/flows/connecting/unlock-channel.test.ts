import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { approvalTown } from "../../support/approval-town.ts";
import { happened } from "../../support/channel-town.ts";
import { formOf, linkedCount, sends, teams } from "../../support/linking.ts";
import { says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

const bindersOnly = `
rules:
  - { name: look, who: members, does: read, then: allow }
  - { name: alex binds, who: U0ALEX, does: bindChannel, then: allow }
`;

describe("a lock", () => {
  let town: World;
  beforeAll(async () => {
    town = await approvalTown();
  });
  beforeEach(() => town.setPolicy(defaultPolicyText));
  afterAll(async () => town.close());

  test("is lifted by the person who set it, and by nobody else without a rule", async () => {
    const { developer, approver, guest } = town;
    await says(town, developer, '/gantry use --names "shop-*" --lock');

    for (const words of ["use --clear", "use --region beijing2", 'use --names "shop-*"']) {
      expect(await says(town, approver, `/gantry ${words}`), words).toMatch(/Dana Reyes locked this channel/u);
      expect(await says(town, guest, `/gantry ${words}`), words).toMatch(/🚫/u);
    }
    expect(await says(town, approver, "/gantry can-i use --clear")).toMatch(/🚫 No\. Dana Reyes locked/u);
    expect((await happened(town))[0]).toMatch(/^refused Gwen Moss/u);

    expect(await says(town, approver, "/gantry use")).toMatch(/set by Dana Reyes/u);
    await says(town, developer, "/gantry use --clear");
    expect(await says(town, developer, "/gantry use")).toMatch(/has no binding/u);
  });

  test("is lifted by people whom a bindChannel rule allows", async () => {
    await says(town, town.developer, '/gantry use --names "shop-*" --lock');
    town.setPolicy(bindersOnly);

    await says(town, town.approver, "/gantry use --clear");

    expect(await says(town, town.developer, "/gantry use")).toMatch(/has no binding/u);
  });

  test("on one region can't be lifted by people who may only bind to another", async () => {
    const { developer, approver } = town;
    await says(town, developer, "/gantry use --region beijing1 --lock");
    town.setPolicy(`
rules:
  - { name: elsewhere, who: members, does: bindChannel, workloads: { region: beijing2 }, then: allow }
`);

    expect(await says(town, developer, "/gantry use --region beijing2")).toMatch(/🚫/u);
    expect(await says(town, approver, "/gantry use --region beijing2")).toMatch(/🚫/u);
    expect((await town.store().bindingOf("T0PLAYGR", "C0OPS"))?.region).toBe("beijing1");
    town.setPolicy(defaultPolicyText);
    await says(town, developer, "/gantry use --clear");
  });
});

describe("the account of a channel", () => {
  test("is linked and unlinked by people whom policy lets bind the channel", async () => {
    await using town = await approvalTown({ users: [teams], policy: bindersOnly });
    const { developer, approver } = town;

    expect(await says(town, developer, "/gantry connect channel")).toMatch(
      /can't bind this channel: no policy rule allows it/u,
    );
    expect(formOf(developer)).toBe("");
    await says(town, approver, "/gantry connect channel");
    expect(await sends(town, approver, teams)).toMatch(/Account connected/u);
    await approver.closes();
    expect(await says(town, developer, "/gantry disconnect channel")).toMatch(
      /can't bind this channel: no policy rule allows it/u,
    );

    expect(await linkedCount(town)).toBe(1);
    const refused = (await town.store().history({ teamId: "T0PLAYGR", limit: 10 })).filter(
      ({ kind }) => kind === "refused",
    );
    expect(refused.map(({ verb, who }) => `${verb} ${who?.name}`)).toEqual([
      "disconnect Dana Reyes",
      "connect Dana Reyes",
    ]);
  });

  test("stays as it is in a channel that somebody else locked", async () => {
    await using town = await approvalTown({ users: [teams] });
    const { developer, approver } = town;
    await says(town, approver, "/gantry use --region beijing1 --lock");

    expect(await says(town, developer, "/gantry connect channel")).toMatch(/Alex Kim locked this channel/u);
    expect(formOf(developer)).toBe("");
    await says(town, approver, "/gantry connect channel");
    expect(await sends(town, approver, teams)).toMatch(/Account connected/u);
    await approver.closes();

    expect(await linkedCount(town)).toBe(1);
  });

  test("is judged again when the token is submitted", async () => {
    await using town = await approvalTown({ users: [teams] });
    const { developer } = town;
    await says(town, developer, "/gantry connect channel");
    town.setPolicy(bindersOnly);

    expect(await sends(town, developer, teams)).toMatch(/can't bind this channel: no policy rule allows it/u);

    expect(await linkedCount(town)).toBe(0);
    expect(town.calls()).toEqual([]);
    await developer.closes();
  });
});

test("whoami shows no part of a token to anyone", async () => {
  await using town = await approvalTown();

  for (const person of [town.developer, town.guest]) {
    const told = await says(town, person, "/gantry whoami");
    expect(told).not.toContain(town.token.slice(-4));
  }
});
