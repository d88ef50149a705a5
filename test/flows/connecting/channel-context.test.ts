import { describe, expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { creates, happened, spoken } from "../../support/channel-town.ts";
import { alexs, connects, connectsChannel, danas, teams } from "../../support/linking.ts";
import { card, clicks, says, saysIn } from "../../support/speak.ts";
import type { Person } from "../../support/world.ts";

const users = [danas, alexs, teams];

const general = (person: Person) => ({ person, channel: "general" });

describe("a region that a channel is bound to", () => {
  test("is meant there for what is read and changed, is named in the answer, and nowhere else", async () => {
    await using town = await approvalTown();
    const { developer, approver } = town;
    await creates(town, "far", "beijing2");

    expect(await says(town, developer, "/gantry use --region beijing2")).toMatch(/Dana Reyes set up.*beijing2/su);

    const list = await says(town, approver, "/gantry list services");
    expect(list).toContain("1 service in beijing2");
    expect(list).toContain("This channel: region beijing2");
    expect(list).toContain("far");
    expect(await says(town, approver, "/gantry show web")).toMatch(/no service in beijing2/u);
    expect(await says(town, approver, "/gantry show far")).toMatch(/beijing2.*This channel: region beijing2/su);
    expect(await says(town, approver, "/gantry list services --region beijing1")).not.toContain("This channel:");
    await says(town, developer, "/gantry scale far 3");
    expect(card(developer)).toContain("beijing2");
    expect(await saysIn(town, general(developer), "/gantry list services")).toContain("1 service in beijing1");
  });

  test("is told to the channel, shown to everybody, and taken away again", async () => {
    await using town = await approvalTown();
    const { developer, approver, guest } = town;

    await says(town, developer, '/gantry use --region beijing2 --names "shop-*" --lock');
    expect(spoken(approver).at(-1)).toMatch(/Dana Reyes set up.*Other regions are refused.*shop-\*/su);
    expect(await says(town, guest, "/gantry use")).toMatch(/set by Dana Reyes.*beijing2/su);
    await says(town, developer, "/gantry use --clear");

    expect(spoken(approver).at(-1)).toMatch(/Dana Reyes removed the binding/u);
    expect(await says(town, developer, "/gantry use")).toMatch(/has no binding/u);
    expect(await says(town, developer, "/gantry use --clear")).toMatch(/has no binding/u);
    expect(await says(town, developer, "/gantry list services")).toContain("1 service in beijing1");
    expect(await happened(town)).toEqual([
      "unbound Dana Reyes: was: region beijing2, names shop-*, locked",
      "bound Dana Reyes: region beijing2, names shop-*, locked",
    ]);
    const told = await says(town, developer, "/gantry history");
    expect(told).toMatch(
      /Removed the binding of a channel · by Dana Reyes.*Set up a channel: region beijing2.* · by Dana Reyes/su,
    );
  });

  test("goes before one's own default region, and one's own before the configured one", async () => {
    await using town = await approvalTown();
    const { developer, approver } = town;
    await town.store().setRegion("T0PLAYGR", "U0DANA", "beijing2");

    expect(await says(town, developer, "/gantry list services")).toMatch(
      /in beijing2.*Your default region: beijing2/su,
    );
    expect(await says(town, approver, "/gantry list services")).toContain("in beijing1");
    expect(await says(town, developer, "/gantry list services --region beijing1")).toContain("in beijing1");
    await says(town, approver, "/gantry use --region beijing1");
    const bound = await says(town, developer, "/gantry list services");

    expect(bound).toContain("in beijing1");
    expect(bound).toContain("This channel: region beijing1");
    expect(bound).not.toContain("Your default region");
  });

  test("stays that of a card and a list after the channel was bound to another one", async () => {
    await using town = await approvalTown();
    const { developer, approver } = town;
    for (let at = 0; at < 11; at += 1) await creates(town, `far-${at}`, "beijing2");
    await says(town, developer, "/gantry use --region beijing2");
    await says(town, developer, "/gantry list services --share");
    await says(town, developer, "/gantry scale far-1 3");
    await says(town, approver, "/gantry use --region beijing1");

    await developer.clicks("Next");
    await town.settled();
    expect(spoken(developer).find((text) => text.includes("services in"))).toMatch(
      /11 services in beijing2[\s\S]*11–11 of 11/u,
    );
    await clicks(town, developer, "Undo");
    expect(card(developer)).toMatch(/beijing2/u);
    expect(card(developer)).toMatch(/3 → 1/u);
  });
});

describe("an account that a channel is bound to", () => {
  test("is the one that everybody acts with there: their own, the channel's or the workspace's", async () => {
    await using town = await approvalTown({ users });
    const { developer, approver } = town;
    await connects(town, developer, danas);
    await connectsChannel(town, developer, teams);
    await says(town, developer, "/gantry use --account team-ops");

    expect(await says(town, developer, "/gantry whoami")).toMatch(
      /team-ops, this channel's.*This channel: account team-ops/su,
    );
    expect(await says(town, approver, "/gantry whoami")).toContain("team-ops, this channel's");
    await says(town, developer, "/gantry use --account dana-own");
    expect(await says(town, developer, "/gantry whoami")).toContain("dana-own, your own account");
    const refused = await says(town, approver, "/gantry list");
    expect(refused).toMatch(/uses the account dana-own, which isn't connected/u);
    expect(refused).toMatch(/connect.*To see or change/su);
    await says(town, approver, "/gantry use --account gantry");
    expect(await says(town, developer, "/gantry whoami")).toContain("gantry, workspace account");
  });
});
