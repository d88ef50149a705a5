import { expect, test } from "vitest";
import type { Undoable } from "../../../../src/bot/commands/command.ts";
import { drawn } from "../../views/support/drawn.ts";
import { answerTo, scripted } from "../support/script.ts";
import { event, waiting } from "../support/stored.ts";
import fc from "fast-check";
import type { Service } from "../../../../src/api/answers.ts";
import { parseMemoryMiB } from "../../../../src/api/memory.ts";
import type { Change } from "../../../../src/bot/changes/change.ts";
import { serviceSnapshot } from "../../../../src/bot/changes/updatable-fields.ts";
import { whyNoUndo } from "../../../../src/bot/commands/verbs/undo.ts";
import type { Ask } from "../../../../src/bot/ask.ts";
import { commandOf, parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { undoAsk } from "../../../../src/bot/commands/verbs.ts";
import { service } from "../../views/support/workloads.ts";

function done(id: string, name: string): Undoable {
  const workload = { kind: "service", region: "beijing1", name, uid: "u1" } as const;
  const change = { ...waiting, id, workload, state: "done", diff: ["instances 2 → 3"] } as const;
  return { change, event: event(700, { kind: "done", changeId: id, workload, request: change }) };
}

const undoable = [done("K7Q2MX", "web"), done("ABC123", "worker")];

test("without a name the newest change is offered, and nothing is undone before the click", async () => {
  expect(drawn(await answerTo("undo", { undoable }))).toMatchInlineSnapshot(`
    "Undo this change?
    🔄 Scaling web to 3 · by Dana Reyes · 1d ago
    Nothing changes until you click Undo · Request K7Q2MX
    [Undo] [Recent requests]"
  `);
});

test.each([
  ["undo worker", "ABC123"],
  ["undo service/worker", "ABC123"],
  ["undo abc123", "ABC123"],
  ["revert ABC123", "ABC123"],
  ["undo that", "K7Q2MX"],
])("%s offers request %s", async (words, id) => {
  expect(drawn(await answerTo(words, { undoable }))).toContain(`Request ${id}`);
});

test("where nothing can be undone it says so", async () => {
  expect(drawn(await answerTo("undo job/web", { undoable }))).toMatchInlineSnapshot(`
    "None of your latest changes of web can be undone. Nothing was changed.
    A restart, a rollback, a creation and a deletion can't be undone, nor a change of what the workload API didn't report. A change is undone once.
    [Recent requests]"
  `);
});

async function proposed(ask: Ask, existing: Service): Promise<Change> {
  const command = commandOf(ask);
  if (command.effect !== "write") throw new Error(`${ask.verb} is no write`);
  return command.propose(ask, scripted({ services: [existing] }).context);
}

const asked = (text: string): Ask => parseText(text).ask;

/** The service as a Change leaves it. */
function changed(existing: Service, { call }: Change): Service {
  if (call.op === "startService") return { ...existing, status: "Running" };
  if (call.op === "stopService") return { ...existing, status: "Stopped" };
  if (call.op !== "updateService") throw new Error(`${call.op} is not played here`);
  const { target_instance_size: size, binding_domain_name: domains, containers: updates = [] } = call.body;
  const containers = (existing.containers ?? []).map((container, at) => {
    const mib = parseMemoryMiB(updates[at]?.resources?.limits?.memory);
    return mib === undefined ? container : { ...container, resources: { limits: { memory: mib } } };
  });
  return {
    ...existing,
    containers,
    ...(size !== undefined && { target_instance_size: size }),
    ...(domains !== undefined && { binding_domain_name: domains }),
  };
}

const memory = (name: string, mib: number) => ({ name, resources: { limits: { memory: String(mib) } } });
const choices = fc.constantFrom(256, 512, 1024, 2048);
const domain = fc.constantFrom("a.example.com", "b.example.com", "*.c.example.com", "d.example.com");
const anyService = fc
  .record({
    size: fc.nat(20),
    memory: fc.array(choices, { minLength: 1, maxLength: 3 }),
    domains: fc.uniqueArray(domain),
    status: fc.constantFrom("Running", "Stopped"),
  })
  .map(({ size, memory: sizes, domains, status }) =>
    service("web", {
      status,
      target_instance_size: size,
      containers: sizes.map((mib, at) => memory(`c${at}`, mib)),
      binding_domain_name: domains,
    }),
  );
const anyAsk = fc.oneof(
  fc.nat(20).map((size) => `scale web ${size}`),
  choices.map((mib) => `memory web ${mib} --container c0`),
  fc
    .tuple(fc.constantFrom("add", "remove", "set"), fc.uniqueArray(domain, { minLength: 1 }))
    .map(([edit, domains]) => `domains web ${edit} ${domains.join(" ")}`),
  fc.constantFrom("start web", "stop web"),
);

test("taking a change back brings the workload to where it was, and what changed nothing has no way back", async () => {
  await fc.assert(
    fc.asyncProperty(anyService, anyAsk, async (existing, text) => {
      const change = await proposed(asked(text), existing);
      const undo = undoAsk(change, "K7Q2MX");
      expect(undo !== undefined).toBe(change.diff.length > 0);
      if (undo === undefined) return;
      const after = changed(existing, change);

      const back = await proposed(undo, after);

      expect(serviceSnapshot(changed(after, back))).toEqual(change.before);
    }),
  );
});

test.each<[string, Partial<Service>, object]>([
  ["scale web 6", { target_instance_size: 2 }, { verb: "scale", args: { name: "service/web", size: 2 } }],
  [
    "memory web 1024 --container proxy",
    { containers: [memory("web", 512), memory("proxy", 256)] },
    { verb: "memory", args: { name: "service/web", mib: "256", container: "proxy" } },
  ],
  [
    "memory web 1024",
    { containers: [memory("web", 512)] },
    { verb: "memory", args: { name: "service/web", mib: "512" } },
  ],
  [
    "memory web 1024",
    { containers: [memory("web", 300)] },
    { verb: "memory", args: { name: "service/web", mib: "300" } },
  ],
  [
    "domains web add b.example.com",
    { binding_domain_name: [] },
    { verb: "domains", args: { name: "service/web", edit: "set", domains: [] } },
  ],
  ["start web", { status: "Stopped" }, { verb: "stop", args: { name: "service/web" } }],
  ["stop web", { status: "Running" }, { verb: "start", args: { name: "service/web" } }],
])("%s is taken back by another ask", async (text, more, ask) => {
  const change = await proposed(asked(`${text} --region beijing2`), service("web", more));

  expect(undoAsk(change, "K7Q2MX")).toEqual({ region: "beijing2", share: false, ...ask });
});

test.each<[string, Partial<Service>, string]>([
  ["delete service/web", {}, "what was deleted is gone"],
  ["restart web", {}, "a restart has no opposite"],
  ["scale web 6", { target_instance_size: undefined }, "the old size was not told"],
  ["memory web 512", { containers: [{ name: "web" }] }, "the old memory was not told"],
  ["memory web 512", { containers: [memory("web", 300.5)] }, "nobody can ask for a part of a MiB"],
  ["domains web add b.example.com", { binding_domain_name: ["Old_Name"] }, "the old list could not be set"],
])("%s has no way back: %s", async (text, more, _why) => {
  const existing = Object.fromEntries(
    Object.entries(service("web", {})).filter(([key]) => !(key in more) || more[key] !== undefined),
  );
  const change = await proposed(asked(text), { ...existing, ...defined(more), name: "web" });

  expect(change.diff).not.toEqual([]);
  expect(undoAsk(change, "K7Q2MX")).toBeUndefined();
});

function defined(more: Partial<Service>): Partial<Service> {
  return Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
}

test("a create has no undo, and its text contains no secrets and no environment values", async () => {
  const words = "--image gantry/hello-web --env API_TOKEN=hunter2 -- run --password hunter3 hunter2";
  for (const kind of ["service", "job"]) {
    const change = await proposed(asked(`create ${kind} fresh ${words}`), service("web"));

    expect(JSON.stringify(change.call.body)).toContain("hunter2");
    expect(change.diff.join("\n")).toContain("command: run --password [redacted] [redacted]");
    expect(change.diff.join("\n")).not.toMatch(/hunter/u);
    expect(undoAsk(change, "K7Q2MX")).toBeUndefined();
  }
});

test("what the workload API didn't report before can't be taken back, and the reason is said", async () => {
  const unread = service("web", { containers: undefined, binding_domain_name: undefined });
  const set = await proposed(asked("domains web set a.example.com"), unread);
  const memoryOf = await proposed(asked("memory web 1024"), unread);
  const sized = await proposed(asked("scale web 4"), service("web", { target_instance_size: 2 }));

  expect([set, memoryOf].map((each) => undoAsk(each, "K7Q2MX"))).toEqual([undefined, undefined]);
  expect(whyNoUndo(set)).toBe("The workload API didn't report the earlier domains.");
  expect(whyNoUndo(memoryOf)).toBe("The workload API didn't report the earlier memory.");
  expect(whyNoUndo(sized)).toBeUndefined();
});
