import { describe, expect, test } from "vitest";
import type { EngineInfo } from "../../../../src/api/engine-info.ts";
import { Problem } from "../../../../src/api/problem.ts";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import { Target } from "../../../../src/bot/commands/grammar/argument-types.ts";
import { formCommand, parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { severalOf } from "../../../../src/bot/commands/grammar/several.ts";
import { asksFor } from "../../../../src/bot/commands/lookup/named-workloads.ts";
import { ReadRefused } from "../../../../src/bot/commands/lookup/may-see.ts";
import { terms } from "../../views/support/stored-changes.ts";
import { job, service } from "../../views/support/workloads.ts";
import { allow, refuse, scripted, type Script } from "../support/script.ts";

const keeps = { keepsRevisions: true } as EngineInfo; // all that deploys ask of an engine
const revisions = [{ revision: 2 }, { revision: 1, images: ["shop/db:1"], outcome: "done" }];
const named = (name: string, kubernetes_kind?: string) =>
  service(name, {
    uid: `uid of ${name}`,
    revision: 2,
    revisions,
    ...(kubernetes_kind !== undefined && { kubernetes_kind }),
  });

/** What stands before and behind the name, of each verb that takes the name of a workload. */
const rest: Readonly<Record<string, string>> = {
  scale: "3",
  memory: "512",
  domains: "add a.example.com",
  deploy: "shop/db:2",
  rollback: "1",
  env: "--set A=b",
};
const verbs = commands
  .filter(({ effect, usage }) => (effect === "read" || effect === "write") && /^\S+ NAME/u.test(usage))
  .map(({ name }) => name);
const ofServices = verbs.filter((verb) => verb !== "run");

/** The workload that a request is about in the end; what it says where it is refused. */
async function meant(text: string, script: Script): Promise<string> {
  const { context, asked } = scripted({ engine: keeps, ...script });
  const { command, ask } = parseText(text);
  try {
    if (command.effect === "write") return (await command.propose(ask, context)).workload.name;
    if (command.effect !== "read") throw new Error(`${text} is no request`);
    const message = await command.answer(ask, context);
    return JSON.stringify(message).includes("db.statefulset") ? "db.statefulset" : "db";
  } catch (error) {
    if (error instanceof Error && !(error instanceof ReadRefused)) return error.message;
    return `refused: ${asked.at(-1)?.workload.name}`;
  }
}

test("every verb that names a workload is looked at", () => {
  expect(verbs).toEqual(expect.arrayContaining(["show", "why", "logs", "restart", "stop", "deploy", "delete", "run"]));
});

describe.each(ofServices)("%s: a named kind is part of the name", (verb) => {
  const all = (...services: readonly ReturnType<typeof named>[]): Script => ({ services });
  const words = (name: string) => `${verb} ${name} ${rest[verb] ?? ""}`.trim();

  test("the named one is taken, and another kind is refused with both", async () => {
    const both = all(named("db", "Deployment"), named("db.statefulset", "StatefulSet"));
    expect(await meant(words("statefulset/db"), both)).toBe("db.statefulset");
    expect(await meant(words("deployment/db"), both)).toBe("db");
    expect(await meant(words("daemonset/db"), both)).toBe("db is a Deployment, not a DaemonSet. Nothing was changed.");
    const one = all(named("db", "StatefulSet"));
    expect(await meant(words("StatefulSet db"), one)).toBe("db");
    expect(await meant(words("deployments.apps/db"), one)).toBe(
      "db is a StatefulSet, not a Deployment. Nothing was changed.",
    );
    expect(await meant(words("cronjob/db"), one)).toMatch(/^There is no job named db/u);
  });

  test("where the workload API doesn't say the kind, nothing is guessed", async () => {
    const untold = all(named("db"), named("db.statefulset"));
    expect(await meant(words("sts/db"), untold)).toBe(
      "The workload API doesn't say whether db is a StatefulSet. Nothing was changed.",
    );
    expect(await meant(words("service/db"), untold)).toBe("db");
  });
});

describe("jobs", () => {
  const both = {
    jobs: [
      { ...job("nightly"), kubernetes_kind: "Job" },
      { ...job("nightly.cronjob"), kubernetes_kind: "CronJob" },
    ],
  };

  test("a CronJob beside a Job of its name is taken, and `job/` stays Gantry's own kind", async () => {
    expect(await meant("delete cronjob/nightly", both)).toBe("nightly.cronjob");
    expect(await meant("delete jobs.batch/nightly", both)).toBe("nightly");
    expect(await meant("delete job/nightly", { jobs: [{ ...job("nightly"), kubernetes_kind: "CronJob" }] })).toBe(
      "nightly",
    );
    expect(
      await meant("delete jobs.batch/nightly", { jobs: [{ ...job("nightly"), kubernetes_kind: "CronJob" }] }),
    ).toBe("nightly is a CronJob, not a Job. Nothing was changed.");
  });
});

test("somebody who may not read the one that is meant learns nothing of it", async () => {
  const services = [named("db", "Deployment"), named("db.statefulset", "StatefulSet")];
  const hidden = ({ workload }: { workload: { name?: string | undefined } }) =>
    workload.name === "db.statefulset" ? refuse : allow;
  expect(await meant("show statefulset/db", { services, permissions: hidden })).toBe(
    "db is a Deployment, not a StatefulSet. Nothing was changed.",
  );
  // It may be seen, but not its log.
  const onlySeen: Script["permissions"] = ({ op, workload }) =>
    workload.name === "db.statefulset" && op === "getServiceLogs" ? refuse : allow;
  expect(await meant("logs statefulset/db", { services, permissions: onlySeen })).toBe("refused: db.statefulset");
  const elsewhere: Script["permissions"] = ({ op, workload: { name, region } }) =>
    name === "db.statefulset" && op === "getServiceLogs" && region !== "beijing2" ? refuse : allow;
  expect(await meant("logs statefulset/db --region beijing2", { services, permissions: elsewhere })).toBe(
    "db.statefulset",
  );
});

test("a change of the one that is meant isn't refused as a read would be: it may need an approval", async () => {
  const services = [named("db", "Deployment"), named("db.statefulset", "StatefulSet")];
  const permissions: Script["permissions"] = ({ op }) =>
    op === "restartService" ? { kind: "approve", rule: "all", terms } : allow;

  expect(await meant("restart statefulset/db", { services, permissions })).toBe("db.statefulset");
});

test.each([
  [422, "db is a Deployment, not a StatefulSet. Nothing was changed."],
  [503, "The workload API answered 503."],
])("where the workload API answers %i to a name with a dot, it says: %s", async (status, says) => {
  const { context } = scripted({ services: [named("db", "Deployment")] });
  const send = async (...[call, options]: Parameters<typeof context.api.send>) => {
    const { service_name: name } = call.path as { readonly service_name?: string }; // of a service
    if (name !== "db.statefulset") return context.api.send(call, options);
    throw new Problem({
      kind: "refused",
      op: "getService",
      status,
      maybeSent: false,
      sentence: `The workload API answered ${status}.`,
      next: "",
    });
  };
  const { command, ask } = parseText("restart statefulset/db");
  if (command.effect !== "write") throw new Error("it is a write");

  await expect(command.propose(ask, { ...context, api: { send: send as typeof context.api.send } })).rejects.toThrow(
    says,
  ); // what it answers follows from the call
});

test("a form and a followed log are about the one that is meant, and a form looks at nothing that is hidden", async () => {
  const services = [
    named("db", "Deployment"),
    named("db.statefulset", "StatefulSet"),
    named("db.daemonset", "Deployment"),
  ];
  const { context } = scripted({ services });
  const prefill = formCommand("restart")?.form.prefill;
  expect(JSON.stringify(await prefill?.({ name: "sts/db" }, undefined, context))).toContain("db.statefulset");
  await expect(prefill?.({ name: "ds/db" }, undefined, context)).rejects.toThrow(
    "db is a Deployment, not a DaemonSet.",
  );
  const { command, ask } = parseText("logs sts/db --follow");
  const followed = command.effect === "read" ? await command.follow?.(ask, context) : undefined;
  expect(followed?.poll.log.name).toBe("db.statefulset");

  const hidden = scripted({ services, permissions: () => refuse });
  await expect(prefill?.({ name: "sts/db" }, undefined, hidden.context)).rejects.toBeInstanceOf(ReadRefused);
  expect(hidden.calls).toEqual([]);
});

test("where the kind isn't reported, no other name is looked for", async () => {
  const { context, calls } = scripted({ services: [named("db")] });
  const { command, ask } = parseText("show sts/db");
  await expect(command.effect === "read" ? command.answer(ask, context) : undefined).rejects.toThrow("doesn't say");
  expect(calls).toEqual(["getService"]);
});

test("a pattern with a kind covers those of that kind", async () => {
  const asks = async (text: string, script: Script) => {
    const { command, ask } = parseText(text);
    const wanted = severalOf(ask);
    if (command.effect !== "write" || wanted === undefined) throw new Error(text);
    const found = await asksFor({ command, ask, wanted }, scripted(script).context);
    return found.map(({ args }) => args["name"]);
  };
  const services = [named("db-a", "StatefulSet"), named("db-b", "Deployment"), named("db-c", "StatefulSet")];

  expect(await asks("restart statefulset/db-*", { services })).toEqual(["service/db-a", "service/db-c"]);
  expect(await asks("restart statefulset/db-a deployment/db-b", { services })).toEqual([
    "statefulset/db-a",
    "deployment/db-b",
  ]);
  await expect(asks("restart statefulset/db-*", { services: [...services, named("db-d")] })).rejects.toThrow(
    "doesn't say whether db-d is a StatefulSet",
  );
  expect(() => parseText("watch statefulset/db-*")).toThrow("A pattern can't be about each StatefulSet.");
});

test.each([
  ["statefulset/db", "StatefulSet"],
  ["STS/db", "StatefulSet"],
  ["deploy/db", "Deployment"],
  ["deployments.v1.apps/db", "Deployment"],
  ["ds/db", "DaemonSet"],
  ["cj/db", "CronJob"],
  ["job.batch/db", "Job"],
  ["job/db", undefined],
  ["svc/db", undefined],
])("%s is the kind %s", (typed, object) =>
  expect(Target.parse(typed)).toMatchObject({ name: "db", ...(object !== undefined && { object }) }),
);

test("another word before a slash is no kind", () => {
  expect(() => Target.parse("pod/db")).toThrow("Not a workload name");
});
