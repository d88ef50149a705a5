import { previewBlocks, type FormPreview } from "../../../src/bot/views/forms/form-view.ts";
import { expect, test } from "vitest";
import type { Change } from "../../../src/bot/changes/change.ts";
import type { Verdict } from "../../../src/bot/policy/policy.ts";
import { actions, askButton, header, section } from "../../../src/bot/views/kit/blocks.ts";
import { endView, skeletonView } from "../../../src/bot/views/forms/modal.ts";
import { drawn, drawnForm } from "./support/drawn.ts";
import { expectFormFits } from "./support/judges.ts";
import { names, terms } from "./support/stored-changes.ts";

const change: Change = {
  call: {
    op: "createService",
    path: { region: "beijing2", service_name: "web" },
    query: undefined,
    body: { target_instance_size: 2, containers: [{ env: [{ name: "API_TOKEN", value: "hunter2" }] }] },
  } as Change["call"], // only what a preview must not draw
  workload: { kind: "service", region: "beijing2", name: "web", uid: undefined },
  before: undefined,
  diff: ["a new service web in beijing2, 2 instances of the image gantry/hello-web"],
};

const approve: Verdict = { kind: "approve", rule: "on-call", terms };

function preview(given: Partial<FormPreview>) {
  const blocks = previewBlocks({
    change,
    verdict: { kind: "allow", rule: "members" },
    approvers: undefined,
    defaultRegion: "beijing1",
    names,
    ...given,
  });
  return { text: "", blocks };
}

test("a preview says what would change and that it runs at once, and no value of a variable", () => {
  const shown = preview({});

  expect(drawn(shown)).toMatchInlineSnapshot(`
    "Preview: create web in beijing2
    • a new service web in beijing2, 2 instances of the image gantry/hello-web
    ✅ Runs immediately. No approval needed.
    ────────"
  `);
  expect(JSON.stringify(shown)).not.toContain("hunter2");
});

test("what the policy says to it, in a sentence", () => {
  const cases: readonly Partial<FormPreview>[] = [
    { verdict: approve, approvers: { names: ["Alex Kim", "Omar Haddad"], count: 4 } },
    { verdict: approve, approvers: { names: ["Alex Kim"], count: 1 } },
    { verdict: approve, approvers: { names: [], count: 0 } },
    { verdict: approve },
    { verdict: { kind: "break-glass", rule: "on-call" } },
    { change: { ...change, diff: [] } },
  ];

  const said = cases.map((given) => drawn(preview(given)).split("image gantry/hello-web\n").at(-1));

  expect(said.join("\n")).toMatchInlineSnapshot(`
    "⏳ Needs 2 approvals from @oncall.
    Can approve now: Alex Kim, Omar Haddad and 2 more.
    ────────
    ⏳ Needs 2 approvals from @oncall.
    ⚠️ Needs 2 approvals, but only Alex Kim can approve right now.
    ────────
    ⏳ Needs 2 approvals from @oncall.
    ⚠️ Needs 2 approvals, but nobody can approve right now.
    ────────
    ⏳ Needs 2 approvals from @oncall.
    ────────
    🚨 Runs immediately without approval (break glass). The channel is notified.
    ────────
    web is already as requested. Nothing to do.
    ────────"
  `);
});

test("what stands there while one waits, and how it ended", () => {
  const post = {
    text: "",
    blocks: [
      header("Done"),
      ...actions(askButton("Show all", { verb: "list", share: false, args: {} })),
      section("✅ Created `web`."),
    ],
  };
  const views = [
    skeletonView({ title: "Scale a service", sentence: "Loading web…" }),
    endView({ title: "Scale a service", post }),
    endView({ title: "Scale a service", post: { blocks: [] } }),
  ];

  for (const view of views) expectFormFits(view);
  expect(views.map(drawnForm).join("\n\n")).toMatchInlineSnapshot(`
    "(Scale a service)
    ⏳ Loading web…
    [Cancel]

    (Scale a service)
    # Done
    ✅ Created web.
    [Close]

    (Scale a service)
    Done.
    [Close]"
  `);
});
