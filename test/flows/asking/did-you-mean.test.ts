import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { clicks, says, whispers } from "../../support/speak.ts";
import { newest, type World } from "../../support/world.ts";

test("a wrong word offers the right one, and the button runs it", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  const told = await says(town, developer, "/gantry lst services");
  await clicks(town, developer, "Run /gantry list services");

  expect(told).toContain("I don't know lst.");
  expect(newest(developer)).toContain("web");
});

test("a suggested write waits for approval as if it had been typed", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;

  await says(town, developer, "/gantry reboot web");
  await clicks(town, developer, "Run /gantry restart web");
  const card = newest(approver);

  expect(card).toContain("web");
  expect(count(town, "restartService")).toBe(0);

  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
});

test("a suggested write that policy refuses is refused", async () => {
  await using town = await approvalTown();
  const { guest } = town;

  await says(town, guest, "/gantry reboot web");
  await clicks(town, guest, "Run /gantry restart web");

  expect(whispers(guest).join("\n")).toMatch(/guest/u);
  expect(count(town, "restartService")).toBe(0);
});

test("two clicks on one suggestion request one change", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  await developer.says("scalee web 3", { channel: "@gantry" });
  await town.settled();
  const label = "Run /gantry scale web 3";
  await Promise.all([developer.clicks(label, { channel: "@gantry" }), developer.clicks(label, { channel: "@gantry" })]);
  await town.settled();

  expect(count(town, "updateService")).toBe(1);
  expect((await town.service("web")).target_instance_size).toBe(3);
  expect(JSON.stringify(developer.sees("@gantry"))).toContain("Scale web to 3 · confirmed");
});

/** A click on a button of a message that the person's Slack still shows as it was. */
async function clicksOld(town: World, { at, trigger }: { readonly at: number; readonly trigger: string }) {
  const ask = { verb: "scale", share: false, args: { name: "web", size: "3" } };
  const ts = `${Math.floor(at / 1_000)}.000100`;
  const payload = {
    type: "block_actions",
    trigger_id: trigger,
    user: { id: "U0DANA" },
    team: { id: "T0GANTRY" },
    channel: { id: "C0OPS" },
    container: { type: "message", message_ts: ts, channel_id: "C0OPS", is_ephemeral: true },
    response_url: "http://127.0.0.1:9/gone",
    actions: [{ type: "button", action_id: "run:0", block_id: "b", action_ts: trigger, value: JSON.stringify(ask) }],
  };
  await town.playground.deliver(payload);
  await town.settled();
}

test("a button that was used, and one from hours ago, request nothing and say so", async () => {
  await using town = await approvalTown();
  const now = town.now().getTime();

  await clicksOld(town, { at: now, trigger: "1.1" });
  expect(count(town, "updateService")).toBe(1);

  await clicksOld(town, { at: now, trigger: "2.2" });
  expect(whispers(town.developer).at(-1)).toContain("used already");

  await clicksOld(town, { at: now - 2 * 60 * 60_000, trigger: "3.3" });
  expect(whispers(town.developer).at(-1)).toContain("expired after an hour");
  expect(count(town, "updateService")).toBe(1);
});

test("a misspelt name offers the right one, and the button runs the same request", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  expect(await says(town, developer, "/gantry scale wbe 3")).toContain("Did you mean web?");
  await clicks(town, developer, "Scale web");

  expect((await town.service("web")).target_instance_size).toBe(3);
});

test("a name that no workload can have is told as one, not in the words of the API", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  expect(await says(town, developer, "/gantry show web_")).toMatch(/named web_\.\nDid you mean web\?/u);

  const verbs = [
    "show NAME",
    "why NAME",
    "logs NAME",
    "restart NAME",
    "scale NAME 3",
    "memory NAME 1024",
    "delete NAME",
  ];
  for (const name of ["Web_1", "web.", "job/N!"]) {
    for (const words of [...verbs, "can-i stop NAME", "stop NAME web"]) {
      const told = await says(town, developer, `/gantry ${words.replace("NAME", name)}`);
      expect(told, `${words} ${name}`).toMatch(/^(?:There is no (?:service|job)|N! is a job, and)/u);
    }
  }
});

test("a step is resolved against the size of the moment, and the request shows the result", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;

  await says(town, developer, "/gantry scale web +1");
  expect((await town.service("web")).target_instance_size).toBe(3);

  await says(town, developer, "/gantry scale web -2");
  expect(newest(approver)).toContain("3 → 1");
  await clicks(town, approver, "Approve");
  expect((await town.service("web")).target_instance_size).toBe(1);

  expect(await says(town, developer, "/gantry scale web -5")).toMatch(/from 1 to -4[\s\S]*Nothing was changed/u);
});

test("a shift of the key doesn't matter: capitals, back-ticks, bold and a kind before the name", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  for (const words of ["SHOW WEB", "show `web`", "show *web*", "describe service web", "status web"]) {
    expect(await says(town, developer, `/gantry ${words}`), words).toContain("🟢 web · running");
  }
});

test("why answers with a verdict and the newest lines", async () => {
  await using town = await approvalTown();

  expect(await says(town, town.developer, "/gantry why web")).toMatch(
    /^🟢 web runs, with no error in today's \d+ log lines\n[\s\S]*The newest:[\s\S]*web-\d │ /u,
  );
});

test("version says what runs", async () => {
  await using town = await approvalTown();

  expect(await says(town, town.developer, "/gantry version")).toMatch(/^Gantry \d+\.\d+\.\d+ · Node \d+/u);
});
