import type { ActionsBlockElement, Button } from "@slack/types";
import { expect, test } from "vitest";
import { Ask } from "../../../../../src/bot/ask.ts";
import { commands } from "../../../../../src/bot/commands/verbs.ts";
import { jobCard } from "../../../../../src/bot/commands/verbs/show/job-card.ts";
import { openingIn } from "../../../../../src/bot/slack/modals/open-form.ts";
import { decodeAction } from "../../../../../src/bot/views/kit/action-id.ts";
import { clickablesIn } from "../../../../support/clickables.ts";
import type { Post } from "../../../../../src/bot/views/kit/post.ts";
import { serviceCard } from "../../../../../src/bot/commands/verbs/show/service-card.ts";
import { now, report, service } from "../../../views/support/workloads.ts";

const everything = ["logs", "create", "scale", "memory", "domains", "start", "stop", "restart", "delete"];

const named = (verbs: readonly string[]) => commands.filter(({ name }) => verbs.includes(name));

function buttonsOf({ blocks }: Post): Button[] {
  return blocks.flatMap((block) =>
    block.type === "actions" ? block.elements.flatMap((each) => (each.type === "button" ? [each] : [])) : [],
  );
}

/** The rows of buttons as people read them: the filled one has stars, and what the menu holds is in brackets. */
function rowsOf({ blocks }: Post): string {
  const label = (each: ActionsBlockElement) => {
    if (each.type === "overflow") return `(${each.options.map(({ text }) => text.text).join(", ")})`;
    if (each.type !== "button") return each.type;
    return each.style === "primary" ? `*${each.text.text}*` : each.text.text;
  };
  return blocks
    .flatMap((block) => (block.type === "actions" ? [block.elements.map(label).join(", ")] : []))
    .join(" | ");
}

function card(status: string, { mayDo = everything, isShared = false, name = "web" } = {}): Post {
  return serviceCard({
    service: service(name, { status }),
    region: "eu1",
    now,
    actions: { mayDo: named(mayDo), isShared },
  });
}

test.each([
  ["Running", "Logs, Restart, Scale, (Refresh, Create like this, Stop, Change memory, Delete)"],
  ["Updating", "Logs, Restart, Refresh, (Stop, Scale, Change memory, Change domains, Delete)"],
  ["Failed", "*Logs*, Restart, Refresh, (Stop, Change memory, Scale, Change domains, Delete)"],
  ["Stopped", "Start, Logs, Refresh, (Scale, Create like this, Change memory, Change domains, Delete)"],
  ["Deleting", "Logs, Create like this, Refresh"],
])("a service that is %s offers %s", (status, expected) => {
  expect(rowsOf(card(status))).toBe(expected);
});

test.each([
  ["Running", 1, "Logs, Restart, Scale, (Deploy, Refresh, Tell me here, Create like this, Delete)"],
  ["Running", 2, "Logs, Restart, Scale, (Deploy, Refresh, Tell me here, Create like this, Delete)"],
  ["Updating", 2, "Logs, Roll back, Restart, (Refresh, Stop, Tell me here, Deploy, Delete)"],
  ["Failed", 1, "*Logs*, Restart, Deploy, (Refresh, Stop, Tell me here, Change memory, Delete)"],
  ["Failed", 2, "*Logs*, Roll back, Restart, (Deploy, Refresh, Stop, Tell me here, Delete)"],
  ["Stopped", 2, "Start, Logs, Tell me here, (Refresh, Deploy, Scale, Create like this, Delete)"],
])("to whoever may do all, a service that is %s and keeps %i versions offers %s", (status, kept, expected) => {
  const revisions = Array.from({ length: kept }, (_, at) => ({
    revision: kept - at,
    images: [`shop/web:${kept - at}`],
  }));
  const actions = { mayDo: commands, isShared: false };
  const message = serviceCard({
    service: service("web", { status, revision: kept, revisions }),
    region: "eu1",
    now,
    actions,
  });
  expect(rowsOf(message)).toBe(expected);
});

test("memory is beside the log of what runs out of it, also where all else may be done", () => {
  const end = { last_reason: "exited with code 137 (out of memory)", last_at: now.toISOString(), count: 6 };
  const revisions = [2, 1].map((revision) => ({ revision, images: [`shop/web:${revision}`] }));
  const web = service("web", { status: "Failed", revision: 2, revisions, restarts: end });
  const message = serviceCard({ service: web, region: "eu1", now, actions: { mayDo: commands, isShared: false } });

  expect(rowsOf(message)).toBe("*Logs*, Change memory, Roll back, (Restart, Deploy, Refresh, Stop, Delete)");
});

test("where Delete isn't allowed, another option has its place", () => {
  expect(rowsOf(card("Running", { mayDo: everything.filter((verb) => verb !== "delete") }))).toBe(
    "Logs, Restart, Scale, (Refresh, Create like this, Stop, Change memory, Change domains)",
  );
});

test("only what policy allows is offered, and Refresh always", () => {
  expect(rowsOf(card("Running", { mayDo: ["logs", "restart"] }))).toBe("Logs, Restart, Refresh");
  expect(rowsOf(card("Running", { mayDo: ["memory"] }))).toBe("Refresh, Change memory");
  expect(rowsOf(card("Running", { mayDo: [] }))).toBe("Refresh");
});

test("the longest name leaves out what the menu has no room for, and keeps the buttons", () => {
  expect(rowsOf(card("Running", { name: "w".repeat(253) }))).toBe("Logs, Restart, Scale");
});

test.each([
  [
    "a new version that doesn't get ready is taken back",
    { state: "stuck", from: 1, to: 2 },
    "*Roll back*, Logs, Restart",
  ],
  ["one on its way is let alone", { state: "progressing", from: 1, to: 2 }, "Logs, Roll back, Restart"],
])("%s", (_what, rollout, expected) => {
  const revisions = [2, 1].map((revision) => ({ revision, images: [`shop/web:${revision}`] }));
  const actions = { mayDo: named([...everything, "deploy", "rollback"]), isShared: false };
  const web = service("web", { status: "Updating", revision: 2, revisions, rollout });

  expect(rowsOf(serviceCard({ service: web, region: "eu1", now, actions }))).toContain(expected);
});

test("no log is suggested of what never began to log, and none at all of what policy refuses", () => {
  const unpulled = service("web", { status: "Failed", message: "ImagePullBackOff: web:9 not found" });
  const rows = (verbs: readonly string[]) =>
    rowsOf(serviceCard({ service: unpulled, region: "eu1", now, actions: { mayDo: named(verbs), isShared: false } }));

  expect(rows(everything)).not.toContain("*");
  expect(rowsOf(card("Failed", { mayDo: ["restart"] }))).toBe("Restart, Refresh");
});

function optionOf(label: string) {
  const option = clickablesIn(card("Running").blocks).find((each) => each.label === label);
  const action = decodeAction(option?.actionId ?? "");
  return action?.kind === "openForm" ? openingIn(action, option?.value ?? "") : undefined;
}

test("an option of the menu does what its button would", () => {
  expect(optionOf("Change memory")).toMatchObject({
    command: { name: "memory" },
    values: { name: "service/web", region: "eu1" },
  });
  expect(optionOf("Create like this")?.values).toEqual({ kind: "service", like: "service/web", region: "eu1" });
});

test("Delete is the menu's last option, and opens its form, which asks for the name", () => {
  const opened = optionOf("Delete");

  expect(opened).toMatchObject({ command: { name: "delete" }, values: { name: "service/web", region: "eu1" } });
  const { fill } = opened?.command.form ?? {};
  expect(fill?.({ name: "service/web", confirm: "wep" })).toEqual({
    kind: "errors",
    errors: { confirm: "Type web to confirm." },
  });
});

test("a menu of an older card still opens the form about the workload of its row", () => {
  expect(openingIn({ kind: "formMenu" }, "memory", "of:eu1:service/web")).toMatchObject({
    command: { name: "memory" },
    values: { name: "service/web", region: "eu1" },
  });
  expect(openingIn({ kind: "formMenu" }, "create", "of:eu1:service/web")?.values).toEqual({
    kind: "service",
    like: "service/web",
    region: "eu1",
  });
  expect(openingIn({ kind: "formMenu" }, "memory", "somebody else's")).toBeUndefined();
});

test("without any word of what may be done there is no button", () => {
  expect(buttonsOf(serviceCard({ service: service("web"), region: "eu1", now }))).toEqual([]);
});

test("a job can be read, made again and deleted", () => {
  const actions = { mayDo: named(everything), isShared: false };

  const message = jobCard({ job: report, region: "us", now, actions });

  expect(rowsOf(message)).toBe("Logs, Create like this, Refresh, (Delete)");
});

test("the buttons that change something open a form, the others ask anew where the card stands", () => {
  const buttons = buttonsOf(card("Running", { isShared: true }));

  const carried = buttons.map(({ action_id, value }) => [action_id, JSON.parse(value ?? "") as unknown]); // what JSON holds
  expect(carried).toEqual([
    ["ask:0", { verb: "logs", region: "eu1", share: true, args: { name: "service/web" } }],
    ["form:open:restart", { verb: "restart", values: { name: "service/web" }, region: "eu1" }],
    ["form:open:scale", { verb: "scale", values: { name: "service/web" }, region: "eu1" }],
  ]);
  expect(Ask.safeParse(carried[0]?.[1]).success).toBe(true);
});
