import { describe, expect, test } from "vitest";
import { StoreError } from "../../../src/bot/errors.ts";
import { deliver, form } from "../../support/deliver.ts";
import { type RolloutTown, rolloutTown } from "../../support/rollout-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { othersApprove } from "../../support/policies.ts";
import { card, clicks, idOf, says, saysIn, whispers } from "../../support/speak.ts";

/** A deploy that didn't get ready, and went back automatically. */
async function wentBack(town: RolloutTown): Promise<void> {
  await says(town, town.developer, "/gantry deploy web 1.5");
  town.isStuck("web", "no such image");
  await town.later(4);
  await town.settled();
  town.isWell("web");
  await town.later(60);
  await town.later(600);
}

/** Every button that people in #ops see, of every message. */
function buttons(town: RolloutTown): readonly string[] {
  return town.developer.sees("ops").flatMap(({ text }) => text.match(/\[[^\]]+\]/gu) ?? []);
}

describe("a version that failed", () => {
  test("is led to by no button and no bare word, and by its number it is a deploy", async () => {
    await using town = await rolloutTown(["web"], { policy: undefined });
    const { developer, approver } = town;
    await says(town, developer, "/gantry deploy web 1.5");
    await clicks(town, approver, "Approve");
    town.isStuck("web", "no such image");
    await town.later(4);
    await town.settled();
    town.isWell("web");
    await town.later(60);
    expect(town.writes).toEqual(["web 1.5", "web 1.4"]);

    expect(buttons(town)).not.toContain("[Undo]");
    expect(buttons(town)).not.toContain("[Roll back]");
    expect(await says(town, developer, "/gantry undo web")).toContain(
      "None of your latest changes of web can be undone.",
    );
    for (const words of ["/gantry rollback web", "/gantry rollback web"]) {
      expect(await says(town, developer, words)).toMatch(
        /^web went back from version 2 already by request [0-9A-Z]{6}\.\nNothing was changed\. Name one: version 2 \(shop\/web:1\.5, never got ready\)/u,
      );
    }
    const versions = await says(town, developer, "/gantry versions web");
    expect(versions).toContain("○ 2 shop/web:1.5 · never got ready");
    expect(versions).not.toContain("[Roll back to 2]");

    await says(town, developer, "/gantry rollback web 2");
    expect(card(developer)).toMatch(/^⏳ Deploy :1\.5, which never got ready, to web\?\n/u);
    expect(card(developer)).toContain("back to version 3 automatically if the new instances don't get ready");
    await clicks(town, approver, "Approve");
    expect(card(developer)).toMatch(/^🔄 Deploying :1\.5, which never got ready, to web…\n/u);
    town.isStuck("web", "no such image");
    await town.later(4);
    await town.settled();
    expect(town.writes).toEqual(["web 1.5", "web 1.4", "web 1.5", "web 1.4"]);
  });

  test("isn't where an older button of a way back leads", async () => {
    await using town = await rolloutTown(["web"]);
    const { developer } = town;
    await wentBack(town);
    const back = (await town.store().find({ undoOf: idOf(card(developer)) }))?.id;

    const click = { action_id: "change:undo:beside", value: back };
    const payload = {
      type: "block_actions",
      user: { id: "U0DANA" },
      channel: { id: "C0OPS" },
      trigger_id: "1.2",
      actions: [click],
    };
    await deliver(town, { body: form({ payload: JSON.stringify(payload) }) });
    await town.settled();

    expect(whispers(developer).at(-1)).toMatch(
      /Couldn't undo request \w{6}\. It went back from version 2, and undo doesn't lead there again\.[^]*\[Versions\]/u,
    );
    expect(town.writes).toEqual(["web 1.5", "web 1.4"]);
  });
});

describe("a rollback by two people in one incident", () => {
  test("leads once to the last good version, and then says that it went back already", async () => {
    await using town = await rolloutTown(["web"]);
    const { developer, approver } = town;
    await says(town, developer, "/gantry deploy web 1.5");
    town.isWell("web");
    await town.later(600);

    await says(town, developer, "/gantry rollback web");
    // It is still being rolled out, and later it is over.
    expect(await says(town, approver, "/gantry rollback web")).toMatch(
      /^web went back from version 2 already by request/u,
    );
    town.isWell("web");
    await town.later(600);
    expect(await says(town, approver, "/gantry rollback web")).toMatch(
      /^web went back from version 2 already by request/u,
    );

    expect(town.writes).toEqual(["web 1.5", "web 1.4"]);
    expect(buttons(town)).not.toContain("[Undo]");
  });
});

test("the list of versions rolls back to a good one with one click, and leads nowhere once that was left", async () => {
  await using town = await rolloutTown(["web"]);
  const { developer, approver } = town;
  for (const version of ["1.5", "1.6"]) {
    await says(town, developer, `/gantry deploy web ${version}`);
    town.isWell("web");
    await town.later(600);
  }
  await says(town, developer, "/gantry versions web");
  await says(town, approver, "/gantry versions web");

  await clicks(town, developer, "Roll back to 2");
  expect(town.writes.at(-1)).toBe("web 1.5");
  town.isWell("web");
  await town.later(600);
  await says(town, approver, "/gantry rollback web 1");
  town.isWell("web");
  await town.later(600);
  const writes = town.writes.length;
  await clicks(town, approver, "Roll back to 2");

  expect(town.writes).toHaveLength(writes);
});

describe("an automatic way back", () => {
  const healthy = /^🟢 web got healthy on 2 meanwhile; nothing was rolled back\n/u;

  test("that waited for an approval is not run once the version got healthy, and says so", async () => {
    await using town = await rolloutTown(["web"]);
    const { developer, approver } = town;
    await says(town, developer, "/gantry deploy web 1.5");
    town.setPolicy(othersApprove);
    town.isStuck("web", "no such image");
    await town.later(4);
    await town.settled();
    expect(card(developer)).toMatch(
      /^⏳ Roll back web to :1\.4\?\n⚠️ Going back needs approval\. 1 approval is needed\./u,
    );

    town.isWell("web");
    await clicks(town, approver, "Approve");
    await town.settled();

    expect(town.writes).toEqual(["web 1.5"]);
    expect(whispers(approver).at(-1)).toContain(
      "Approved, but web got healthy on 2 meanwhile; nothing was rolled back.",
    );
    expect(card(developer)).toMatch(healthy);
    expect(card(developer)).not.toMatch(/policy changed|\[Try again\]|\[Undo\]/iu);
    const deployed = developer.sees("ops")[0]?.text;
    expect(deployed).toMatch(healthy);
    expect(deployed).toContain("[Roll back]");
    await town.later(60);
    const good = developer.sees("ops").filter(({ text }) => /web got healthy/u.test(text) && !text.includes("policy:"));
    expect(good.map(({ text }) => text.split("\n").at(-1))).toEqual([
      expect.stringMatching(/^🟢 web got healthy on 2 meanwhile; nothing was rolled back/u),
      expect.stringMatching(/^🟢 web got healthy on 2 meanwhile; nothing was rolled back/u),
    ]);
    expect(await says(town, developer, "/gantry history web")).toContain("web got healthy on 2 meanwhile");
    // It is as good as any other version now.
    expect(await says(town, developer, "/gantry versions web")).not.toContain("never got ready");
  });

  test("is requested once, also if the look that found it necessary is repeated after it was rejected", async () => {
    let isAway = true;
    await using town = await rolloutTown(["web"], {
      store: (real) => ({
        ...real,
        advance: (id, step, event) =>
          isAway && step.name === "trouble"
            ? Promise.reject(new StoreError("The database can't be reached."))
            : real.advance(id, step, event),
      }),
    });
    const { developer, approver } = town;
    await says(town, developer, "/gantry deploy web 1.5");
    town.setPolicy(othersApprove);
    town.isStuck("web", "no such image");
    await town.later(4);
    await town.later(4);
    await says(town, approver, `/gantry reject ${idOf(card(developer))}`);
    isAway = false;
    await town.later(60);
    await town.settled();

    expect(developer.sees("ops").filter(({ text }) => /· undoes /u.test(text))).toHaveLength(1);
    expect(town.writes).toEqual(["web 1.5"]);
  });

  test("that is rejected leaves the reason on the deploy's card and in its thread", async () => {
    await using town = await rolloutTown(["web"]);
    const { developer, approver } = town;
    await says(town, developer, "/gantry deploy web 1.5");
    town.setPolicy(othersApprove);
    town.isStuck("web", "no such image");
    await town.later(4);
    await town.settled();
    await says(town, approver, `/gantry reject ${idOf(card(developer))}`);

    const why = "not rolled back: Alex Kim rejected the way back";
    const [deployed] = developer.sees("ops");
    expect(deployed?.text).toMatch(/^🔴 Deploying :1\.5 to web: its new instances can't pull their images\n/u);
    expect(deployed?.text).toContain(why);
    expect(developer.sees("ops").filter(({ text }) => text.includes(`🔴 ${why}`))).toHaveLength(1);
    expect(deployed?.text).toContain("Last errors\n```\nno database\n```");
  });
});

describe("what a deploy is based on", () => {
  /** Dana's deploy waits, somebody sets a variable, and then it runs. */
  async function deployedAfterVariable(town: RolloutTown, setVariable: () => Promise<unknown>): Promise<void> {
    const { developer, approver } = town;
    town.setPolicy(othersApprove);
    await says(town, developer, "/gantry deploy web 1.5");
    const waiting = idOf(card(developer));
    town.setPolicy(openPolicy);
    await setVariable();
    town.isWell("web");
    await town.later(600);
    await says(town, approver, `/gantry approve ${waiting}`);
    await town.settled();
  }

  test("is what it found when it was sent: its way back keeps what somebody else changed while it waited", async () => {
    await using town = await rolloutTown(["web"]);
    const { developer, approver } = town;
    await deployedAfterVariable(town, () => says(town, approver, "/gantry env web --set LEVEL=debug"));
    const [deployed] = developer.sees("ops");
    expect(deployed?.text).toContain("back to version 2 automatically if the new instances don't get ready");

    town.isStuck("web", "no such image");
    await town.later(4);
    await town.settled();

    expect(town.revisions).toEqual(["web 2"]);
    expect(developer.sees("ops")[0]?.text).toMatch(/^🔴 web goes back to :1\.4, because :1\.5 didn't get ready\n/u);
  });

  test("is what its Undo goes back to, with the variables of somebody without Gantry", async () => {
    await using town = await rolloutTown(["web"]);
    const { developer } = town;
    await deployedAfterVariable(town, async () => town.othersDeploy("web", "shop/web:1.4"));
    town.isWell("web");
    await town.later(600);

    await clicks(town, developer, "Roll back");

    expect(town.revisions).toEqual(["web 2"]);
  });

  test("of variables is the revision: what somebody else set while it waited isn't overwritten", async () => {
    await using town = await rolloutTown(["web"]);
    const { developer, approver } = town;
    town.setPolicy(othersApprove);
    await says(town, developer, "/gantry env web --set LEVEL=debug");
    town.othersDeploy("web", "shop/web:1.4");
    await clicks(town, approver, "Approve");

    expect(card(developer)).toMatch(/^⚠️ web changed while this waited\nNothing was run\./u);
    expect(card(developer)).toContain("1 when requested → 2 now");
    expect(town.writes).toEqual([]);
  });
});

describe("what somebody else changed since a deploy", () => {
  test("isn't taken back by its button before whoever clicks has confirmed it", async () => {
    await using town = await rolloutTown(["web"]);
    const { developer, approver } = town;
    await says(town, developer, "/gantry deploy web 1.5");
    town.isWell("web");
    await town.later(600);
    await saysIn(town, { person: approver, channel: "general" }, "/invite @gantry");
    await saysIn(town, { person: approver, channel: "general" }, "/gantry env web --set LEVEL=debug");
    town.isWell("web");
    await town.later(600);

    await clicks(town, developer, "Roll back");
    expect(whispers(developer).at(-1)).toMatch(
      /^⚠️ Roll back web to :1\.4\?\nIt also takes back changes of others:\n• also takes back version 3 by Alex Kim: (?:sets|adds) LEVEL\n/u,
    );
    expect(town.revisions).toEqual([]);
    await clicks(town, developer, "Go on");
    expect(town.revisions).toEqual(["web 1"]);
    expect(card(developer)).toContain("also takes back version 3 by Alex Kim");
    expect(card(developer)).not.toContain("since then");
  });

  test("with kubectl is asked about too, of a deploy of several for each of its services", async () => {
    await using town = await rolloutTown(["web", "shop"]);
    const { developer } = town;
    await says(town, developer, "/gantry deploy web shop 1.5");
    for (const name of ["web", "shop"]) {
      town.isWell(name);
      await town.later(600);
    }
    town.othersDeploy("shop", "shop/shop:1.5");
    town.isWell("shop");

    // Whoever approves it reads the same on its card.
    town.setPolicy(othersApprove);
    await clicks(town, developer, "Roll back");
    expect(card(developer)).toContain("• shop: also takes back version 3 by somebody unknown");
    await says(town, developer, `/gantry cancel ${idOf(card(developer))}`);
    town.setPolicy(openPolicy);
    await clicks(town, developer, "Roll back");
    expect(whispers(developer).at(-1)).toContain("• shop: also takes back version 3 by somebody unknown");
    expect(town.revisions).toEqual([]);
    await clicks(town, developer, "Go on");
    expect(town.revisions).toEqual(["web 1"]);
  });

  test("while it was rolled out keeps it from going back, and its card and thread say why", async () => {
    await using town = await rolloutTown(["web"]);
    const { developer } = town;
    await says(town, developer, "/gantry deploy web 1.5");
    await town.later(3);
    town.nowIs("web", {
      status: "Failed",
      revision: 3,
      rollout: { from: 1, to: 3, state: "stuck", ready: 0, target: 3, old_ready: 3 },
    });
    await town.later(4);
    await town.later(60);

    const why = "not rolled back: version 3 runs, and this request made 2";
    expect(town.writes).toEqual(["web 1.5"]);
    expect(card(developer)).toContain(why);
    expect(town.thread("ops").join("\n")).toContain(why);
  });
});

test("a way back that was promised, and not begun before nobody looks any more, is told", async () => {
  await using town = await rolloutTown(["web"]);
  const { developer } = town;
  await says(town, developer, "/gantry deploy web 1.5");
  town.nowIs("web", { status: "Updating", ready_instances: 0 });
  for (let minutes = 0; minutes < 12; minutes += 1) await town.later(60);

  expect(card(developer)).toMatch(/^🟡 Deployed :1\.5 to web, but it isn't running yet\n/u);
  expect(card(developer)).toContain("not rolled back: nobody watches it any more");
});

test("of a way back that is slow, or that somebody overtook, nobody is told that it failed", async () => {
  await using town = await rolloutTown(["web", "shop"]);
  const { developer } = town;
  await says(town, developer, "/gantry deploy web 1.5");
  town.isStuck("web", "no such image");
  await town.later(4);
  await town.settled();
  town.nowIs("web", { status: "Updating", ready_instances: 0 });
  for (let minutes = 0; minutes < 12; minutes += 1) await town.later(60);
  const slow = card(developer);
  await says(town, developer, "/gantry deploy shop 1.5");
  town.isStuck("shop", "no such image");
  await town.later(4);
  await town.settled();
  town.othersDeploy("shop", "shop/shop:1.6");
  town.isWell("shop");
  await town.later(60);

  expect(slow).toMatch(/^🔴 web may be back on :1\.4, because :1\.5 didn't get ready\n/u);
  expect(slow).toContain("Going back automatically wasn't confirmed · isn't running yet");
  expect(card(developer)).toContain("Going back automatically wasn't confirmed · was changed again meanwhile");
  // Read before it went back.
  expect(slow).not.toContain("still serve");
  expect(
    developer
      .sees("ops")
      .map(({ text }) => text)
      .join("\n"),
  ).not.toContain("couldn't go back");
});
