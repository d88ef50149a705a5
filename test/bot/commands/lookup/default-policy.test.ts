import { expect, test } from "vitest";
import type { Context, ReadCommand } from "../../../../src/bot/commands/command.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { defaultPolicy } from "../../../../src/bot/policy/read-policy.ts";
import { evaluate, bestOutcome } from "../../../../src/bot/policy/evaluate.ts";
import { drawn } from "../../views/support/drawn.ts";
import { report, service } from "../../views/support/workloads.ts";
import { scripted } from "../support/script.ts";
import { leftOut, ruled } from "../support/ruled.ts";
import type { Standing, Person } from "../../../../src/bot/policy/policy.ts";

/** As the bot binds the policy to somebody in a channel. */
function contextOf(standing: Standing): Context {
  const person: Person = { userId: "U0DANA", name: "Dana Reyes", standing, inGroup: () => false };
  const asker = { person, where: { kind: "channel", channelId: "C0OPS" }, account: "dana" } as const;
  const { context } = scripted({ services: [service("web", { target_instance_size: 2 })], jobs: [report] });
  return {
    ...context,
    permissions: {
      verdict: async (about, options) =>
        evaluate(defaultPolicy, { ...asker, ...about, breakGlass: options?.breakGlass === true }),
      outlook: async (actions) => bestOutcome(defaultPolicy, asker, actions),
      approvers: async () => ({ names: ["Alex Kim"], count: 1 }),
    },
  };
}

async function told(text: string, standing: Standing): Promise<string> {
  const { command, ask } = parseText(text);
  return drawn(await (command as ReadCommand).answer(ask, contextOf(standing))); // the texts below are reads
}

test("a member sees what runs immediately and what needs an approval", async () => {
  expect(await told("can-i scale web 4", "member")).toContain("✅ Yes, you can");
  expect(await told("can-i scale web 0", "member")).toContain("with 1 approval");
  expect(await told("can-i restart web", "member")).toContain("Can approve now: Alex Kim.");
  expect(await told("can-i show web", "member")).toContain("✅ Yes, you can");
  expect(await told("help all", "member")).toContain(
    "/gantry delete NAME…  Permanently delete a service or job (needs approval)",
  );
});

test("a guest is told why not, by which way it goes, and that help left things out", async () => {
  expect(await told("can-i delete service/web", "guest")).toMatchInlineSnapshot(`
    "🚫 No. You can't delete web: no policy rule allows it for guests.
    Ask a full member of this workspace."
  `);
  expect(await told("can-i show web", "guest")).toContain("🚫 No.");
  expect(await told("help", "guest")).toContain(leftOut(ruled));
});

test("a member sees services and jobs, by bare names too", async () => {
  expect(await told("list", "member")).toContain("report");
  expect(await told("show report", "member")).toContain("gantry/batch");
  expect(await told("show web", "member")).toContain("gantry/hello-web");
});
