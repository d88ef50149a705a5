import type { ActionsBlockElement, Button } from "@slack/types";
import { expect, test } from "vitest";
import { Ask } from "../../../../../src/bot/ask.ts";
import { commands } from "../../../../../src/bot/commands/verbs.ts";
import { jobCard } from "../../../../../src/bot/commands/verbs/show/job-card.ts";
import { openingIn } from "../../../../../src/bot/slack/modals/open-form.ts";
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

/** The rows of buttons as people read them; what the menu holds is in brackets. */
function rowsOf({ blocks }: Post): string {
  const label = (each: ActionsBlockElement) => {
    if (each.type === "overflow") return `(${each.options.map(({ text }) => text.text).join(", ")})`;
    return each.type === "button" ? each.text.text : each.type;
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
  ["Running", "Logs, Restart, Scale, Refresh, (Stop, Memory, Domains, Create like this, Delete)"],
  ["Updating", "Logs, Restart, Stop, Refresh, (Scale, Memory, Domains, Create like this, Delete)"],
  ["Failed", "Logs, Restart, Stop, Refresh, (Memory, Scale, Domains, Create like this, Delete)"],
  ["Stopped", "Start, Logs, Refresh, (Scale, Memory, Domains, Create like this, Delete)"],
  ["Deleting", "Logs, Create like this, Refresh"],
])("a service that is %s offers %s", (status, expected) => {
  expect(rowsOf(card(status))).toBe(expected);
});

test.each([
  ["Running", 1, "Logs, Restart, Scale, Deploy, Refresh, (Stop, Memory, Domains, Create like this, Delete)"],
  ["Running", 2, "Logs, Restart, Scale, Deploy, Refresh, (Stop, Memory, Domains, Roll back, Delete)"],
  ["Updating", 2, "Logs, Restart, Roll back, Deploy, Refresh, (Stop, Scale, Memory, Domains, Delete)"],
  ["Failed", 1, "Logs, Deploy, Restart, Refresh, (Stop, Memory, Scale, Domains, Delete)"],
  ["Failed", 2, "Logs, Roll back, Deploy, Restart, Refresh, (Stop, Memory, Scale, Domains, Delete)"],
  ["Stopped", 2, "Start, Logs, Deploy, Refresh, (Scale, Memory, Domains, Roll back, Delete)"],
])("a service that is %s and keeps %i versions offers %s", (status, kept, expected) => {
  const revisions = Array.from({ length: kept }, (_, at) => ({
    revision: kept - at,
    images: [`shop/web:${kept - at}`],
  }));
  const actions = { mayDo: named([...everything, "deploy", "rollback"]), isShared: false };
  const message = serviceCard({
    service: service("web", { status, revision: kept, revisions }),
    region: "eu1",
    now,
    actions,
  });
  expect(rowsOf(message)).toBe(expected);
});

test("only what policy allows is offered, and Refresh always", () => {
  expect(rowsOf(card("Running", { mayDo: ["logs", "restart"] }))).toBe("Logs, Restart, Refresh");
  expect(rowsOf(card("Running", { mayDo: ["memory"] }))).toBe("Refresh, (Memory)");
  expect(rowsOf(card("Running", { mayDo: [] }))).toBe("Refresh");
});

test("a name too long for a menu gets all its buttons instead", () => {
  expect(rowsOf(card("Running", { name: "w".repeat(253) }))).toBe(
    "Logs, Restart, Scale, Stop, Memory, Domains, Create like this, Delete, Refresh",
  );
});

test("an option of the menu opens the form about the workload of its row", () => {
  const row = card("Running").blocks.find(({ type }) => type === "actions");

  expect(openingIn({ kind: "formMenu" }, "memory", row?.block_id)).toMatchObject({
    command: { name: "memory" },
    values: { name: "service/web", region: "eu1" },
  });
  expect(openingIn({ kind: "formMenu" }, "create", row?.block_id)?.values).toEqual({
    kind: "service",
    like: "service/web",
    region: "eu1",
  });
  expect(openingIn({ kind: "formMenu" }, "memory", "somebody else's")).toBeUndefined();
});

test("Delete is the menu's last option, and opens its form, which asks for the name", () => {
  const row = card("Running").blocks.find(({ type }) => type === "actions");

  const opened = openingIn({ kind: "formMenu" }, "delete", row?.block_id);

  expect(opened).toMatchObject({ command: { name: "delete" }, values: { name: "service/web", region: "eu1" } });
  const { fill } = opened?.command.form ?? {};
  expect(fill?.({ name: "service/web", confirm: "wep" })).toEqual({
    kind: "errors",
    errors: { confirm: "Type web to confirm." },
  });
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
    ["ask:1", { verb: "show", region: "eu1", share: true, args: { name: "service/web" } }],
  ]);
  expect(Ask.safeParse(carried[0]?.[1]).success).toBe(true);
});
