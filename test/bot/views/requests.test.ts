import { describe, expect, test } from "vitest";
import { accountMessage, connectForm, connectResult } from "../../../src/bot/views/forms/connect-form.ts";
import { askedElsewhere } from "../../../src/bot/views/messages/request-answers.ts";
import { refusalMessage, type Refusal } from "../../../src/bot/views/messages/error-messages.ts";
import { rejectForm } from "../../../src/bot/views/forms/modal.ts";
import { names, stored, terms } from "./support/stored-changes.ts";
import { drawn, drawnForm } from "./support/drawn.ts";
import { expectFormTaken } from "./support/judges.ts";
import { command } from "./support/workloads.ts";

const mine = { kind: "user", userId: "U0DANA" } as const;
const ops = { kind: "channel", channelId: "C0OPS" } as const;
const decided = { rule: "ops-only", command };

test("a refusal says why, what to do, and which rule decided", () => {
  const refusals: Refusal[] = [
    {
      kind: "policy",
      command,
      verdict: { kind: "refuse", rule: "no-guests", why: "Guests may only look.", next: "Ask a full member." },
    },
    {
      kind: "policy",
      command,
      verdict: { kind: "refuse", rule: undefined, why: "No rule lets you delete.", next: "Ask who keeps the policy." },
    },
    { kind: "api", why: "It belongs to Helm.", others: ["web: nothing to do"] },
    { kind: "reason", ...decided },
    { kind: "dm", ...decided },
    { kind: "no-card", ...decided, channelId: "C0GENERAL", botName: "gantry" },
    { kind: "approvers", ...decided, needed: 1, names: [] },
    { kind: "approvers", ...decided, needed: 3, names: ["Alex Kim", "Omar Haddad"] },
  ];

  const answers = refusals.map((refusal) => drawn(refusalMessage(refusal)));

  expect(answers.join("\n\n")).toMatchInlineSnapshot(`
    "🚫 Guests may only look.
    Ask a full member.
    Nothing was changed · policy: no-guests · to see what you can do: /gantry help

    🚫 No rule lets you delete.
    Ask who keeps the policy.
    Nothing was changed · to see what you can do: /gantry help

    🚫 It belongs to Helm.
    web: nothing to do
    Nothing was changed

    🚫 This request needs a reason.
    Request it again with --reason "orders time out".
    Nothing was changed · policy: ops-only · to see what you can do: /gantry help

    🚫 This request needs an approval, and nobody else is in this conversation.
    Request it in a channel with me and the approvers.
    Nothing was changed · policy: ops-only · to see what you can do: /gantry help

    🚫 I can't post an approval card in #general.
    Invite me with /invite @gantry, then try again.
    Nothing was changed · policy: ops-only · to see what you can do: /gantry help

    🚫 This request needs 1 approval, and nobody can approve here.
    Request it in a channel with more approvers, or ask your Gantry admin to change the policy.
    Nothing was changed · policy: ops-only · to see what you can do: /gantry help

    🚫 This request needs 3 approvals, and only Alex Kim, Omar Haddad can approve here.
    Request it in a channel with more approvers, or ask your Gantry admin to change the policy.
    Nothing was changed · policy: ops-only · to see what you can do: /gantry help"
  `);
});

test("whoever asks elsewhere is told where the card stands", () => {
  const post = askedElsewhere({
    change: stored({ terms: { ...terms, cardIn: "C0OPS" } }),
    cardIn: "C0OPS",
    names,
  });

  expect(drawn(post)).toMatchInlineSnapshot(`
    "⏳ Waiting for approval: Scale web to 2
    Requested in #ops · needs 2 approvals from @oncall · expires 2026-11-21 13:00 UTC
    [Cancel request]
    7K3M9Q"
  `);
});

describe("linking an account", () => {
  test("the form asks for user name and token, and says what becomes of the token", () => {
    const view = connectForm({ owner: mine, metadata: "{}" });

    expectFormTaken(view);
    expect(drawnForm(view)).toMatchInlineSnapshot(`
      "(Connect an account)
      I'll use this account for you only, in every channel.
      User name:
      [          ]
      The account's user name in the workload API.
      API token:
      [          ]
      Visible while you type. I test it once, store it encrypted and never show it again.
      [Connect] [Cancel]"
    `);
  });

  test("a form that is shown again keeps the user name, and never the token", () => {
    const view = connectForm({
      owner: ops,
      metadata: "{}",
      username: "dana",
      problems: ["The service refused the token. Copy it again."],
    });

    expectFormTaken(view);
    expect(drawnForm(view)).toMatchInlineSnapshot(`
      "(Connect an account)
      ❌ Nothing was connected. The service refused the token. Copy it again.
      I'll use this account in #ops, for everybody without their own account.
      User name:
      [dana]
      The account's user name in the workload API.
      API token:
      [          ]
      Visible while you type. I test it once, store it encrypted and never show it again.
      [Connect] [Cancel]"
    `);
    expect(JSON.stringify(view).match(/initial_value/gu)).toHaveLength(1);
  });

  test("the form says how it goes on", () => {
    const views = [
      connectResult({ kind: "checking", username: "dana" }),
      connectResult({ kind: "done", owner: mine, username: "dana", command }),
      connectResult({ kind: "done", owner: ops, username: "ops", command }),
      connectResult({ kind: "failed", why: "The database does not answer.", next: "Try again in a minute." }),
    ];

    for (const view of views) expectFormTaken(view);
    expect(views.map(drawnForm).join("\n\n")).toMatchInlineSnapshot(`
      "(Connect an account)
      ⏳ Testing the account dana with the workload API…
      This takes a few seconds.
      [Close]

      (Connect an account)
      ✅ Account connected. I'll use dana for you only, in every channel.
      To check it: /gantry whoami
      [Close]

      (Connect an account)
      ✅ Account connected. I'll use ops in #ops, for everybody without their own account.
      To check it: /gantry whoami
      [Close]

      (Connect an account)
      ❌ Nothing was connected. The database does not answer.
      Try again in a minute.
      [Close]"
    `);
  });

  test("what became of it is told", () => {
    const posts = [
      accountMessage({ kind: "connected", owner: mine, username: "dana", command }),
      accountMessage({ kind: "connected", owner: ops, username: "ops", command }),
      accountMessage({ kind: "disconnected", owner: mine, command }),
      accountMessage({ kind: "disconnected", owner: ops, command }),
      accountMessage({ kind: "nothing-linked", owner: mine, command }),
      accountMessage({ kind: "nothing-linked", owner: ops, command }),
    ];

    expect(posts.map(drawn).join("\n\n")).toMatchInlineSnapshot(`
      "✅ Account connected. I'll use dana for you only, in every channel.
      To check it: /gantry whoami. To disconnect it: /gantry disconnect

      ✅ Account connected. I'll use ops in #ops, for everybody without their own account.
      To check it: /gantry whoami. To disconnect it: /gantry disconnect channel

      ✅ Disconnected your account. I deleted its token here.
      The token still works in the workload API. Revoke it there if nobody needs it.
      See which account you use now: /gantry whoami

      ✅ Disconnected the account of #ops. I deleted its token here.
      The token still works in the workload API. Revoke it there if nobody needs it.
      See which account you use now: /gantry whoami

      Nothing to disconnect: you haven't connected an account.
      To connect an account: /gantry connect
      See which account you use now: /gantry whoami

      Nothing to disconnect: #ops has no account.
      To connect an account: /gantry connect channel
      See which account you use now: /gantry whoami"
    `);
  });
});

test("the form of a rejection asks why, and takes no answer too", () => {
  const view = rejectForm({ change: stored(), metadata: "{}" });

  expectFormTaken(view);
  expect([view.callback_id, view.private_metadata]).toEqual(["change:reject", "{}"]);
  expect(drawnForm(view)).toMatchInlineSnapshot(`
    "(Reject request)
    @dana wants to scale web to 2.
    • instances 6 → 2
    Reason (optional):
    [          ]
    Shown on the card and in history.
    [Reject] [Back]"
  `);
});

test("metadata that Slack would refuse are a bug, and are not cut", () => {
  expect(() => rejectForm({ change: stored(), metadata: "x".repeat(3001) })).toThrow("longer than 3000 characters");
});
