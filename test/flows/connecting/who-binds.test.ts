import { describe, expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { happened } from "../../support/channel-town.ts";
import { says, saysIn, whispers } from "../../support/speak.ts";

describe("who may bind", () => {
  test("is said by the policy: by default full members, and guests are refused", async () => {
    await using town = await approvalTown();

    expect(await says(town, town.guest, "/gantry use --region beijing2")).toMatch(
      /can't bind this channel: no policy rule allows it for guests/u,
    );
    expect(await says(town, town.guest, "/gantry can-i use")).toMatch(/No\./u);
    expect(await says(town, town.developer, "/gantry can-i use --clear")).toMatch(/✅ Yes, you can/u);
    expect(await says(town, town.guest, "/gantry use")).toMatch(/has no binding/u);
    expect(await happened(town)).toEqual([expect.stringMatching(/^refused Gwen Moss:/u)]);
    expect(await says(town, town.developer, "/gantry history")).toContain(
      "Refused: set up a channel · asked by Gwen Moss",
    );
  });
});

test("a conversation with the bot cannot be bound, and says so", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  const place = { person: developer, channel: "@gantry" };

  for (const words of ["use", "use --region beijing2", "use --clear"]) {
    expect(await saysIn(town, place, words)).toMatch(/only channels, not direct messages/u);
  }
  expect(await saysIn(town, place, "can-i use")).toMatch(/No\. You can't bind a direct message/u);
});

test("a region that is not configured is taken, with a word of warning", async () => {
  await using town = await approvalTown();

  expect(await says(town, town.developer, "/gantry use --region bejing2")).toMatch(/bejing2 isn't a known region/u);
});

test("use beijing2, without the flag, asks first", async () => {
  await using town = await approvalTown();

  const asked = await says(town, town.developer, "/gantry use beijing2");

  expect(asked).toMatch(
    /^Change the settings of this channel: region beijing2\?\nNothing changes until you confirm\./mu,
  );
});

test("a binding that waited too long for another process is not made any more", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  const origin = { userId: "U0DANA", teamId: "T0PLAYGR", channelId: "C0OPS" };
  const interaction = { kind: "use", terms: { region: "beijing2", isLocked: false }, origin } as const; // a literal kind
  const payload = JSON.stringify({ interaction });
  await town.store().accept({ id: "left-over", teamId: "T0PLAYGR", payload, token: "of another process" });
  town.passMinutes(6);

  await town.restartBot();
  await town.settled();

  expect(whispers(developer).at(-1)).toMatch(/stopped before I started your use/u);
  expect(await town.store().bindingOf("T0PLAYGR", "C0OPS")).toBeUndefined();
});
