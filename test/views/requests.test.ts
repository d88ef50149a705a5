import { describe, expect, test } from "vitest";
import { accountMessage } from "../../src/views/messages/account-message.ts";
import { askedElsewhere } from "../../src/views/messages/asked-message.ts";
import { connectForm, connectResult } from "../../src/views/forms/connect-form.ts";
import { refusalMessage, type Refusal } from "../../src/views/messages/refusal-message.ts";
import { rejectForm } from "../../src/views/forms/reject-form.ts";
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
    Nothing was done · rule “no-guests” · what you may do: /gantry help

    🚫 No rule lets you delete.
    Ask who keeps the policy.
    Nothing was done · no rule allows it · what you may do: /gantry help

    🚫 This needs a reason, for those who decide and for history.
    Ask again and add --reason "why it is needed".
    Nothing was done · rule “ops-only” · what you may do: /gantry help

    🚫 This needs the approval of somebody else, and in this conversation there are only you and Gantry.
    Ask in a channel where Gantry and those who may approve are.
    Nothing was done · rule “ops-only” · what you may do: /gantry help

    🚫 Others have to see this, and Gantry cannot post in #general, where its card would stand.
    Let it in by typing /invite @gantry there, then ask again.
    Nothing was done · rule “ops-only” · what you may do: /gantry help

    🚫 This needs 1 vote of people other than you, and nobody could vote now.
    Ask where more of those who may approve are members, or ask who keeps the policy to name more approvers or to want fewer votes.
    Nothing was done · rule “ops-only” · what you may do: /gantry help

    🚫 This needs 3 votes of people other than you, and only Alex Kim, Omar Haddad could vote now.
    Ask where more of those who may approve are members, or ask who keeps the policy to name more approvers or to want fewer votes.
    Nothing was done · rule “ops-only” · what you may do: /gantry help"
  `);
});

test("whoever asks elsewhere is told where the card stands", () => {
  const post = askedElsewhere({
    change: stored({ terms: { ...terms, cardIn: "C0OPS" } }),
    cardIn: "C0OPS",
    command,
    names,
  });

  expect(drawn(post)).toMatchInlineSnapshot(`
    "⏳ Asked in #ops for approval to scale service web.
    Change  7K3M9Q
    Needs  2 votes of @oncall
    Expires  2026-11-21 13:00 UTC
    Its card tells how it goes. Take it back with /gantry cancel 7K3M9Q"
  `);
});

describe("linking an account", () => {
  test("the form asks for user name and token, and says what becomes of the token", () => {
    const view = connectForm({ owner: mine, metadata: "{}" });

    expectFormTaken(view);
    expect(drawnForm(view)).toMatchInlineSnapshot(`
      "(Connect an account)
      Gantry will act with this account for you alone, wherever you ask.
      User name:
      [          ]
      The account's name at the container workload service.
      API token:
      [          ]
      Slack shows it while you type, so look who can see your screen. Gantry tries it once, stores it sealed, and never shows it again.
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
      ⚠️ Nothing was linked. The service refused the token. Copy it again.
      Gantry will act with this account in #ops, for everybody there who has not linked their own.
      User name:
      [dana]
      The account's name at the container workload service.
      API token:
      [          ]
      Slack shows it while you type, so look who can see your screen. Gantry tries it once, stores it sealed, and never shows it again.
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
      ⏳ Trying the account dana with one call to the service…
      This takes a few seconds.
      [Close]

      (Connect an account)
      ✅ Linked: Gantry acts with the account dana for you alone, wherever you ask.
      See it with /gantry whoami
      [Close]

      (Connect an account)
      ✅ Linked: Gantry acts with the account ops in #ops, for everybody there who has not linked their own.
      See it with /gantry whoami
      [Close]

      (Connect an account)
      ❌ Nothing was linked. The database does not answer.
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
      "✅ Linked: Gantry acts with the account dana for you alone, wherever you ask.
      See it with /gantry whoami, unlink it with /gantry disconnect

      ✅ Linked: Gantry acts with the account ops in #ops, for everybody there who has not linked their own.
      See it with /gantry whoami, unlink it with /gantry disconnect channel

      ✅ Unlinked your own account. Gantry has forgotten its token.
      The token itself still works: revoke it at the service if nobody else needs it.
      What you act with now: /gantry whoami

      ✅ Unlinked the account of #ops. Gantry has forgotten its token.
      The token itself still works: revoke it at the service if nobody else needs it.
      What you act with now: /gantry whoami

      There is nothing to unlink: you have no account of your own here.
      Link one with /gantry connect
      What you act with now: /gantry whoami

      There is nothing to unlink: #ops has no account of its own.
      Link one with /gantry connect channel
      What you act with now: /gantry whoami"
    `);
  });
});

test("the form of a rejection asks why, and takes no answer too", () => {
  const view = rejectForm({ change: stored(), metadata: "{}" });

  expectFormTaken(view);
  expect([view.callback_id, view.private_metadata]).toEqual(["change:reject", "{}"]);
  expect(drawnForm(view)).toMatchInlineSnapshot(`
    "(Reject this change)
    @dana asks to scale service web.
    • instances 6 → 2
    Why not? (optional):
    [          ]
    Stands on the card and in history.
    [Reject] [Back]"
  `);
});

test("metadata that Slack would refuse are a bug, and are not cut", () => {
  expect(() => rejectForm({ change: stored(), metadata: "x".repeat(3001) })).toThrow("longer than 3000 characters");
});
