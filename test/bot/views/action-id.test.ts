import { expect, test } from "vitest";
import { type Action, decodeAction, encodeAction } from "../../../src/bot/views/kit/action-id.ts";

/** Messages in channels keep these ids for years: none of them may change its text or its meaning. */
const posted: readonly (readonly [id: string, action: Action])[] = [
  ["change:approve", { kind: "request", act: "approve", isBeside: false }],
  ["change:reject", { kind: "request", act: "reject", isBeside: false }],
  ["change:cancel", { kind: "request", act: "cancel", isBeside: false }],
  ["change:undo", { kind: "request", act: "undo", isBeside: false }],
  ["change:again", { kind: "request", act: "again", isBeside: false }],
  ["change:show", { kind: "request", act: "show", isBeside: false }],
  ["change:logs", { kind: "request", act: "logs", isBeside: false }],
  ["change:look", { kind: "request", act: "look", isBeside: false }],
  ["change:approve:beside", { kind: "request", act: "approve", isBeside: true }],
  ["change:cancel:beside", { kind: "request", act: "cancel", isBeside: true }],
  ["change:undo:beside", { kind: "request", act: "undo", isBeside: true }],
  ["run:0", { kind: "run", at: 0 }],
  ["run:4", { kind: "run", at: 4 }],
  ["run:cancel", { kind: "dismiss" }],
  ["ask:0", { kind: "read", at: 0 }],
  ["ask:24", { kind: "read", at: 24 }],
  ["ask:beside:list", { kind: "readBeside", verb: "list" }],
  ["pick:service", { kind: "pick", of: "service" }],
  ["pick:job", { kind: "pick", of: "job" }],
  ["pick:any", { kind: "pick", of: "any" }],
  ["pick:instance", { kind: "pick", of: "instance" }],
  ["pick:region", { kind: "pick", of: "region" }],
  ["pick:change", { kind: "pick", of: "change" }],
  ["home:refresh", { kind: "home", act: "refresh" }],
  ["home:region", { kind: "home", act: "region" }],
  ["home:do", { kind: "home", act: "do" }],
  ["home:connect", { kind: "home", act: "connect" }],
  ["home:previous", { kind: "home", act: "previous" }],
  ["home:next", { kind: "home", act: "next" }],
  ["home:workload", { kind: "home", act: "workload" }],
  ["form:open:scale", { kind: "openForm", verb: "scale" }],
  ["form:menu", { kind: "formMenu" }],
  ["form:more", { kind: "moreSettings" }],
  ["alert:take", { kind: "takeAlert" }],
  ["link", { kind: "link" }],
];

test.each(posted)("%s keeps its text and its meaning", (id, action) => {
  expect(decodeAction(id)).toEqual(action);
  expect(encodeAction(action)).toBe(id);
});

test.each([
  "",
  ":",
  "change",
  "change:",
  "change:frobnicate",
  "change:approve:",
  "change:approve:twice",
  "change:approve:beside:twice",
  "run",
  "run:",
  "run:-1",
  "run:1e3",
  "run:99999999999999999999",
  "ask",
  "ask:x",
  "ask:beside",
  "pick:",
  "pick:pods",
  "home:toString",
  "form:",
  "form:close",
  "form:open",
  "link:1",
  "__proto__",
  "old:1",
  "change:approve\n",
  "🚨",
])("%j is no action, and no error", (id) => {
  expect(decodeAction(id)).toBeUndefined();
});
