import { expect, test } from "vitest";
import type { About } from "../../../../../src/bot/commands/command.ts";
import { Problem } from "../../../../../src/api/problem.ts";
import { UserError } from "../../../../../src/bot/errors.ts";
import { drawn } from "../../../views/support/drawn.ts";
import type { Message } from "../../../../../src/bot/views/kit/post.ts";
import { report, web } from "../../../views/support/workloads.ts";
import { allow, answerTo, refuse, scripted, type Script } from "../../support/script.ts";
import { waiting } from "../../support/stored.ts";

const notNow = {
  kind: "refused",
  op: "getServiceLogs",
  status: 503,
  maybeSent: false,
  sentence: "Not now.",
  next: "Later.",
} as const; // the literal kind

const script: Script = { services: [web], jobs: [report] };

function buttons({ blocks }: Message): string {
  return blocks
    .flatMap((block) => (block.type === "actions" ? block.elements : []))
    .flatMap((each) => {
      if (each.type === "overflow") return each.options.map(({ text }) => text.text);
      return each.type === "button" ? [each.text.text] : [each.type];
    })
    .join(", ");
}

test("a card offers what this person may do here with this workload, and costs one further call, for its log", async () => {
  const world = scripted({
    ...script,
    permissions: ({ op, workload }) => (op === "restartService" && workload.name === "web" ? refuse : allow),
  });

  const message = await answerTo("show service/web", world);

  expect(buttons(message)).toBe("Logs, Scale, Refresh, Tell me here, Create like this, Stop, Change memory, Delete");
  expect(world.calls).toEqual(["getService", "getServiceLogs"]);
});

test.each([
  ["show service/web", ["getService", "getServiceLogs"]],
  ["show job/report", ["getJob"]],
  // Two calls are the most for a read, and finding a bare name takes both.
  ["show web", ["getService", "getJob"]],
])("%s costs %j", async (words, calls) => {
  const world = scripted(script);

  await answerTo(words, world);

  expect(world.calls).toEqual(calls);
});

test("a name from the list just read leaves a call for the log", async () => {
  const world = scripted(script);
  await answerTo("list", world);
  world.calls.length = 0;

  await answerTo("show web", world);

  expect(world.calls).toEqual(["getService", "getServiceLogs"]);
});

test("a worker that runs and fails at its work is green, and its card says how often it fails", async () => {
  const logLines = Array.from({ length: 60 }, (_, at) => {
    const at10 = new Date(Date.parse("2026-11-21T11:50:05Z") + at * 10_000).toISOString();
    return `${at10} ERROR payments answered 504`;
  });

  const told = drawn(await answerTo("show service/web", { ...script, logLines }));

  expect(told).toContain("🟢 web · running\n");
  expect(told).toContain("⚠️ Its log: 6 error lines per minute\n");
});

test("a log that can't be read keeps nobody from the card", async () => {
  const { context } = scripted(script);
  const api = {
    send: (call: Parameters<typeof context.api.send>[0], how: Parameters<typeof context.api.send>[1]) =>
      call.op === "getServiceLogs" ? Promise.reject(new Problem(notNow)) : context.api.send(call, how),
  } as typeof context.api; // as generic as the real one

  const told = drawn(await answerTo("show service/web", { ...scripted(script), context: { ...context, api } }));

  expect(told).toContain("🟢 web · running\n");
  expect(told).toContain("Couldn't read its log.\n");
});

test("a database that is away keeps nobody from the card, which says what it couldn't check", async () => {
  const world = scripted(script);
  const away = () => Promise.reject(new UserError("Couldn't read requests and history."));
  const records = { ...world.context.records, pending: away, history: away };

  const told = drawn(await answerTo("show service/web", { ...world, context: { ...world.context, records } }));

  expect(told).toContain("🟢 web · running\n");
  expect(told).toContain("Couldn't check for waiting requests. Try again in a minute.");
  expect(told).not.toContain("Last change");
});

test("what waits for other workloads, or in another account, isn't on the card", async () => {
  const elsewhere = { ...waiting, workload: { ...waiting.workload, region: "beijing2" } };
  const others = [{ ...waiting, account: { ...waiting.account, username: "team" } }, elsewhere];

  expect(drawn(await answerTo("show service/web", { ...script, pending: others }))).not.toContain("Waiting:");
  expect(drawn(await answerTo("show service/web", { ...script, pending: [waiting] }))).toContain("Waiting: scale");
});

test("what is refused whichever way it is done is not offered", async () => {
  const permissions = ({ op, risk }: About) => (op === "updateService" && risk === "routine" ? refuse : allow);
  const destroys = ({ risk }: About) => (risk === "destructive" || risk === "disruptive" ? refuse : allow);

  expect(buttons(await answerTo("show service/web", { ...script, permissions }))).toContain("Scale");
  expect(buttons(await answerTo("show service/web", { ...script, permissions: destroys }))).toBe(
    "Logs, Scale, Refresh, Tell me here, Create like this, Change domains",
  );
});

test("somebody who may only look gets no other button", async () => {
  const permissions = ({ op }: About) => (op === "getService" || op === "getJob" ? allow : refuse);

  for (const words of ["show service/web", "show job/report"]) {
    const message = await answerTo(words, { ...script, permissions, outlook: () => "refuse" });

    expect(buttons(message)).toBe("Refresh");
  }
});

test("a card for everybody offers all that makes sense: the click is judged", async () => {
  const permissions = ({ op }: About) => (op === "getService" ? allow : refuse);

  const message = await answerTo("show service/web --share", { ...script, permissions });

  expect(buttons(message)).toBe("Logs, Restart, Scale, Refresh, Tell me here, Create like this, Stop, Delete");
});

test("a short answer has two lines and the way to the card", async () => {
  const ready = { ...web, target_instance_size: 2, ready_instances: 2 };
  const message = await answerTo("show web --brief", { services: [ready] });

  expect(drawn(message).split("\n").length).toBeLessThanOrEqual(3);
  expect(buttons(message)).toBe("Details");
  expect(drawn(message)).toContain("2 of 2");
  expect(drawn(await answerTo("show report --brief", script)).split("\n").length).toBeLessThanOrEqual(3);
});
