import { expect, test } from "vitest";
import type { AccountOwner } from "../../../src/accounts/account.ts";
import { parseText } from "../../../src/commands/grammar/parse.ts";
import { drawn } from "../../views/support/drawn.ts";
import { whoami } from "../../../src/commands/verbs/whoami/view.ts";
import { now, scripted } from "../support/script.ts";

async function told(owner: AccountOwner): Promise<string> {
  const { context } = scripted();
  const { command, ask } = parseText("whoami");
  if (command.effect !== "read") throw new Error("whoami is no read");
  return drawn(await command.answer(ask, { ...context, account: { ...context.account, owner } }));
}

test.each<[AccountOwner, string, string]>([
  [{ kind: "user", userId: "U0DANA" }, "dana, your own", "To unlink this one: /gantry disconnect"],
  [{ kind: "channel", channelId: "C0OPS" }, "dana, this channel's", "To act with your own account: /gantry connect."],
  [{ kind: "workspace" }, "dana, the workspace's", "One for everybody in this channel: /gantry connect channel"],
])("it is said whose account it is, and how another one comes in: %o", async (owner, account, next) => {
  const text = await told(owner);

  expect(text).toContain(`Account  ${account}`);
  expect(text).not.toContain("Token  ");
  expect(text).toContain("Calls  3 calls since 2026-11-21 00:00 UTC (12 h)");
  expect(text).toContain(next);
});

test("whoami tells the account and how much it was used", () => {
  const message = whoami({
    account: {
      owner: { kind: "user", userId: "UDANA" },
      username: "dana",
      calls: { count: 1234, since: new Date("2026-11-21T00:00:00Z") },
    },
    command: "/gantry",
    service: "https://workloads.example.org",
    region: "beijing1",
    regions: ["us", "beijing1", "beijing2"],
    slackUser: "UDANA",
    now,
  });

  expect(message.text).toMatchInlineSnapshot(
    `"Gantry acts as dana (your own) at https://workloads.example.org, 1,234 calls today"`,
  );
  expect(drawn(message)).toMatchInlineSnapshot(`
    "# Who you are to Gantry
    You  @UDANA
    Account  dana, your own
    Service  https://workloads.example.org
    Region  beijing1 for services without --region; jobs run in the region us
    Known regions  us, beijing1, beijing2
    Calls  1,234 calls since 2026-11-21 00:00 UTC (12 h)
    Another token or account: /gantry connect. To unlink this one: /gantry disconnect"
  `);
});
