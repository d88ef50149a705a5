import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { awayStore } from "../../support/away-store.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { onCallDecides } from "../../support/policies.ts";
import { shopTown } from "../../support/shop-town.ts";
import { card, clicks, idOf, says, saysIn, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** The cards about a workload that can be approved. */
function cards({ developer }: World, name: string): readonly string[] {
  return developer
    .sees("ops")
    .filter(({ isEphemeral, text }) => !isEphemeral && text.includes("[Approve]") && text.includes(name))
    .map(({ text }) => text);
}

let town: World;
beforeAll(async () => void (town = await shopTown(["worker", "queue", "mailer", "shop"])));
afterAll(() => town.close());

describe("while a request is pending, a duplicate", () => {
  test("links to its card instead of creating another", async () => {
    const { developer } = town;
    await says(town, developer, "/gantry restart web");
    const id = idOf(card(developer));

    const again = await says(town, developer, "/gantry restart web");

    expect(again).toMatch(new RegExp(`Already waiting: Restart web[^]*${id}`, "u"));
    expect(again).toMatch(/You requested it in #ops.*0 of 1/su);
    expect(again).toContain("[Cancel]");
    expect(again).toContain("[Open card]");
    expect(cards(town, "web")).toHaveLength(1);
  });

  test("tells another person who requested it and that they can approve it", async () => {
    const { developer, approver } = town;
    const before = count(town, "restartService");
    await says(town, developer, "/gantry restart worker");
    const id = idOf(card(developer));

    const told = await says(town, approver, "/gantry restart worker");

    expect(told).toMatch(/Dana Reyes requested it/u);
    expect(told).toContain("[Approve]");
    await says(town, approver, `/gantry approve ${id}`);
    expect(count(town, "restartService")).toBe(before + 1);
  });

  test("also tells the only possible approver", async () => {
    await using onCall = await approvalTown({ policy: onCallDecides });
    const { developer, approver } = onCall;
    onCall.playground.people.leaveGroup("oncall", "omar");
    await says(onCall, developer, "/gantry restart web");

    expect(await says(onCall, approver, "/gantry restart web")).toMatch(/Already waiting.*\[Approve\]/su);
  });

  test("gets its own card when it differs, or the first one is over", async () => {
    const { developer, approver } = town;
    await says(town, developer, "/gantry restart queue");
    await says(town, developer, "/gantry stop queue");
    expect(cards(town, "queue")).toHaveLength(2);

    await says(town, approver, `/gantry reject ${idOf(card(developer))}`);
    await says(town, developer, "/gantry stop queue");
    expect(cards(town, "queue")).toHaveLength(2);
  });

  test("gets its own card when the first one has expired", async () => {
    const { developer } = town;
    await says(town, developer, "/gantry restart mailer");
    const first = idOf(card(developer));
    town.passMinutes(61);

    await says(town, developer, "/gantry restart mailer");

    expect(idOf(card(developer))).not.toBe(first);
  });

  test("at the same instant creates one card, and the second person is told", async () => {
    const { promise: both, resolve } = Promise.withResolvers<void>();
    let waiting = 0;
    await using racing = await approvalTown({
      store: (real) => ({
        ...real,
        async insertChange(change, event) {
          waiting += 1;
          if (waiting === 2) resolve();
          await both;
          return real.insertChange(change, event);
        },
      }),
    });
    const { developer, approver } = racing;

    await Promise.all([developer.says("/gantry restart web"), approver.says("/gantry restart web")]);
    await racing.settled();

    expect(cards(racing, "web")).toHaveLength(1);
    const told = [...whispers(developer), ...whispers(approver)].filter((text) => text.includes("Already waiting"));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(idOf(card(developer)));
  });
});

/** Also guests may ask, who see no records of others. */
const everybodyAsks = onCallDecides.replace(/who: \[members\](?=\n {4}does: \[routine)/u, "who: everyone");

test("somebody who may not know of the request that waits learns only that there is one", async () => {
  await using open = await approvalTown({ policy: everybodyAsks });
  const { developer, guest } = open;
  await says(open, developer, "/gantry restart web");
  const id = idOf(card(developer));

  const elsewhere = await saysIn(open, { person: guest, channel: "@gantry" }, "/gantry restart service/web");

  expect(elsewhere).toBe("The same request is already waiting for approval. Nothing new was requested.");
  expect(cards(open, "web")).toHaveLength(1);
  // Where its card stands they read it anyway.
  expect(await says(open, guest, "/gantry restart service/web")).toMatch(
    new RegExp(`Already waiting: Restart web[^]*${id}`, "u"),
  );
});

describe("show", () => {
  test("offers to review what waits for the workload, and nothing of others", async () => {
    const { developer, approver } = town;
    expect(await says(town, approver, "/gantry show shop")).not.toContain("Waiting:");
    await says(town, developer, "/gantry scale shop 0");

    expect(await says(town, approver, "/gantry show shop")).toMatch(/⏳ Waiting: scale, instances 1 → 0/u);
    const before = approver.sees("ops").length;
    await approver.clicks("Review");
    await town.settled();
    expect(approver.sees("ops").at(-1)?.text).toContain(idOf(card(developer)));
    expect(approver.sees("ops").length).toBe(before + 1);
    expect(await says(town, approver, "/gantry show service/shop --region beijing2")).not.toContain("Waiting:");
  });

  test("shows the workload while the database is away, and says what it could not check", async () => {
    const database = awayStore();
    await using away = await approvalTown({ store: database.wrap });
    await says(away, away.developer, "/gantry show web");

    database.leave();

    expect(await says(away, away.developer, "/gantry show web")).toMatch(
      /running.*Couldn't check for waiting requests/su,
    );
  });
});

test("who repeats a restart because Slack took no card reads how the first one ended, and one button runs it again", async () => {
  await using limited = await approvalTown({ policy: openPolicy });
  const { developer, playground } = limited;
  playground.faults.answer("chat.postMessage", "429", { retryAfterSeconds: 75 });
  playground.faults.answer("response_url", "500");
  await says(limited, developer, "/gantry restart web");
  expect(whispers(developer)).toEqual([]);
  playground.faults.answerNormally("response_url");

  const asked = await says(limited, developer, "/gantry restart web");

  expect(asked).toMatch(/web restarted[\s\S]*You requested the same \d+ s ago[\s\S]*Nothing was requested again/u);
  expect(count(limited, "restartService")).toBe(1);
  // Somebody else's request is another one.
  await says(limited, limited.approver, "/gantry restart web");
  expect(count(limited, "restartService")).toBe(2);

  await clicks(limited, developer, "Run it again");
  expect(count(limited, "restartService")).toBe(3);
});

test("once its end was told, the same request is a new one", async () => {
  await using limited = await approvalTown({ policy: openPolicy });
  const { developer, playground } = limited;
  playground.faults.answer("chat.postMessage", "429", { channel: "ops", retryAfterSeconds: 75 });
  await says(limited, developer, "/gantry restart web");
  expect(whispers(developer)).toEqual([expect.stringMatching(/web restarted/u)]);

  await says(limited, developer, "/gantry restart web");

  expect(count(limited, "restartService")).toBe(2);
});
