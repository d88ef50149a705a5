import { expect, test } from "vitest";
import type { AccountOwner } from "../../../../src/bot/accounts/resolve.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { drawn } from "../../views/support/drawn.ts";
import { whoamiMessage } from "../../../../src/bot/commands/verbs/account.ts";
import type { EngineInfo } from "../../../../src/api/engine-info.ts";
import { answerTo, scripted } from "../support/script.ts";

async function told(owner: AccountOwner): Promise<string> {
  const { context } = scripted();
  const { command, ask } = parseText("whoami");
  if (command.effect !== "read") throw new Error("whoami is no read");
  return drawn(await command.answer(ask, { ...context, account: { ...context.account, owner } }));
}

test.each<[AccountOwner, string, string]>([
  [{ kind: "user", userId: "U0DANA" }, "dana, your own account", "To disconnect it: /gantry disconnect"],
  [
    { kind: "channel", channelId: "C0OPS" },
    "dana, this channel's account",
    "To use your own account: /gantry connect.",
  ],
  [{ kind: "workspace" }, "dana, workspace account", "To set one for this channel: /gantry connect channel"],
])("it is said whose account it is, and how another one comes in: %o", async (owner, account, next) => {
  const text = await told(owner);

  expect(text).toContain(`Account  ${account}`);
  expect(text).not.toContain("Token  ");
  expect(text).toContain("API requests  3 since 2026-11-21 00:00 UTC");
  expect(text).toContain(next);
});

test("whoami tells the account and how much it was used", () => {
  const message = whoamiMessage({
    account: {
      owner: { kind: "user", userId: "UDANA" },
      username: "dana",
      calls: { count: 1234, since: new Date("2026-11-21T00:00:00Z") },
    },
    command: "/gantry",
    serviceUrl: "https://workloads.example.org",
    engine: undefined,
    region: "beijing1",
    jobsRegion: "tokyo1",
    regions: ["us", "beijing1", "beijing2"],
    slackUser: "UDANA",
  });

  expect(message.text).toMatchInlineSnapshot(
    `"Account dana (your own account) at https://workloads.example.org, 1,234 requests today"`,
  );
  expect(drawn(message)).toMatchInlineSnapshot(`
    "# Your account
    You  @UDANA
    Account  dana, your own account
    Workload API  https://workloads.example.org
    Region  beijing1 (default for services; jobs run in tokyo1)
    Service regions  us, beijing1, beijing2
    API requests  1,234 since 2026-11-21 00:00 UTC
    To change it: /gantry connect. To disconnect it: /gantry disconnect"
  `);
});

const domains = { name: "us", version: "v1.20.2", cannot: ["custom domains"] };

test("whoami names the engine and what it can't do, with regions only where they differ", async () => {
  const same = { ...domains, name: "beijing1" };
  const newer = { name: "beijing1", version: "v1.36.0", cannot: ["custom domains", "new disks"] };
  const unknown = { name: "beijing1", version: undefined, cannot: [] };
  const linesOf = async (regions: EngineInfo["regions"]) =>
    drawn(
      await answerTo("whoami", {
        engine: { title: "Kubernetes", regions, takesAnyMemory: true, keepsRevisions: false, pushesChanges: false },
      }),
    )
      .split("\n")
      .filter((line) => /^(?:Engine|Not supported)/u.test(line));

  expect(await linesOf([domains, same])).toEqual(["Engine  Kubernetes v1.20.2", "Not supported  custom domains"]);
  expect(await linesOf([domains, newer])).toEqual([
    "Engine  Kubernetes v1.20.2 (us), v1.36.0 (beijing1)",
    "Not supported  custom domains, new disks (beijing1)",
  ]);
  expect(await linesOf([domains, unknown])).toEqual([
    "Engine  Kubernetes v1.20.2 (us), version unknown (beijing1)",
    "Not supported  custom domains (us)",
  ]);
  expect(await linesOf([])).toEqual(["Engine  Kubernetes"]);
});

test("version says what runs", async () => {
  expect(drawn(await answerTo("version"))).toMatch(
    /^Gantry \d+\.\d+\.\d+ · Node \d+\.\d+\.\d+ · workload API built in$/u,
  );
});
