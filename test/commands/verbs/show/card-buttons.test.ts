import type { Button } from "@slack/types";
import { expect, test } from "vitest";
import { Ask } from "../../../../src/commands/ask.ts";
import { jobCard } from "../../../../src/commands/verbs/show/job-card.ts";
import type { Post } from "../../../../src/views/kit/message.ts";
import { serviceCard } from "../../../../src/commands/verbs/show/service-card.ts";
import { command, now, report, service } from "../../../views/support/workloads.ts";

const everything = ["logs", "create", "scale", "memory", "domains", "start", "stop", "restart", "delete"];

function buttonsOf({ blocks }: Post): Button[] {
  return blocks.flatMap((block) =>
    block.type === "actions" ? block.elements.flatMap((each) => (each.type === "button" ? [each] : [])) : [],
  );
}

function card(status: string, { mayDo = everything, isShared = false } = {}): Button[] {
  const actions = { mayDo, isShared };
  return buttonsOf(serviceCard({ service: service("web", { status }), region: "eu1", now, command, actions }));
}

function labels(buttons: readonly Button[]): string {
  return buttons.map(({ text }) => text.text).join(", ");
}

test.each([
  ["Running", "Logs, Scale, Restart, Stop, Memory, Domains, Create like this, Delete, Refresh"],
  ["Failed", "Logs, Scale, Restart, Stop, Memory, Domains, Create like this, Delete, Refresh"],
  ["Stopped", "Logs, Scale, Start, Memory, Domains, Create like this, Delete, Refresh"],
  ["Deleting", "Logs, Create like this, Refresh"],
])("the card of a service that is %s offers %s", (status, expected) => {
  expect(labels(card(status))).toBe(expected);
});

test("a card offers what may be done, and always to look again", () => {
  expect(labels(card("Running", { mayDo: ["logs", "restart"] }))).toBe("Logs, Restart, Refresh");
  expect(labels(card("Running", { mayDo: [] }))).toBe("Refresh");
});

test("without any word of what may be done there is no button", () => {
  expect(buttonsOf(serviceCard({ service: service("web"), region: "eu1", now, command }))).toEqual([]);
});

test("a job can be read, made again and deleted", () => {
  const actions = { mayDo: everything, isShared: false };

  const buttons = buttonsOf(jobCard({ job: report, region: "us", now, command, actions }));

  expect(labels(buttons)).toBe("Logs, Create like this, Delete, Refresh");
});

test("the buttons that change something open a form, the others ask anew where the card stands", () => {
  const buttons = card("Running", { isShared: true });

  const carried = buttons.map(({ action_id, value }) => [action_id, JSON.parse(value ?? "") as unknown]); // what JSON holds
  expect(carried).toEqual([
    ["ask:0", { verb: "logs", region: "eu1", share: true, args: { name: "service/web" } }],
    ["form:open:scale", { verb: "scale", values: { name: "service/web" }, region: "eu1" }],
    ["form:open:restart", { verb: "restart", values: { name: "service/web" }, region: "eu1" }],
    ["form:open:stop", { verb: "stop", values: { name: "service/web" }, region: "eu1" }],
    ["form:open:memory", { verb: "memory", values: { name: "service/web" }, region: "eu1" }],
    ["form:open:domains", { verb: "domains", values: { name: "service/web" }, region: "eu1" }],
    ["form:open:create", { verb: "create", values: { kind: "service", like: "service/web" }, region: "eu1" }],
    ["form:open:delete", { verb: "delete", values: { name: "service/web" }, region: "eu1" }],
    ["ask:1", { verb: "show", region: "eu1", share: true, args: { name: "service/web" } }],
  ]);
  expect(Ask.safeParse(carried[0]?.[1]).success).toBe(true);
  expect(buttons.map(({ style }) => style)).toContain("danger");
});
