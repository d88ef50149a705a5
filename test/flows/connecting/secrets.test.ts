import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { connects, connectsChannel, danas, teams } from "../../support/linking.ts";
import { operationOf } from "../../support/operation-of.ts";
import { card, clicks, idOf, says } from "../../support/speak.ts";
import { found, placesOf } from "../../support/secret-search.ts";
import { type World, world } from "../../support/world.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openPolicy } from "../../support/open-policy.ts";

/** Everything that people and machines trust Gantry with, or that comes by. */
const seeded = {
  "a person's token": danas.token,
  "a channel's token": teams.token,
  "a wrong token": "wrong-token-0003-that-was-meant-for-else",
  "a token in a command line": "typed-token-0004-behind-the-verb-connect",
  "an environment value": "env-value-0005-hunter2-hunter2",
  "an environment value of a command that failed": "env-value-0006-correct-horse",
  "an environment value that waits for approval": "env-value-0007-battery-staple",
  "an environment value that was typed into a form": "env-value-0012-correct-horse",
  "an environment value of words that lack an image": "env-value-0013-horse",
  "a password in a log": "log-value-0008-swordfish",
  "a password in an address in a log": "log-value-0009-opensesame",
  "a header in a log": "log-value-0010-abracadabra",
  "a password in the log of what crashed": "log-value-0011-alohomora",
};

type Trouble = { kind: "none" | "401" | "echo" | "break" };

/** The service, with secrets in its logs, and with answers that repeat what they were sent. */
function chatty(trouble: Trouble) {
  return async (request: Request, send: (request: Request) => Promise<Response>): Promise<Response> => {
    const token = request.headers.get("authorization") ?? "";
    if (trouble.kind === "401") return Response.json({ message: `the ${token} is not valid` }, { status: 401 });
    if (trouble.kind === "break") throw new TypeError(`fetch failed with Authorization: ${token}`);
    if (trouble.kind === "echo" && request.method !== "GET") {
      return Response.json({ message: `this is wrong: ${await request.text()}` }, { status: 400 });
    }
    const lines = logOf(operationOf(request));
    return lines === undefined ? send(request) : Response.json(lines);
  };
}

function logOf(op: string): unknown {
  const lines = [
    `DB_PASSWORD=${seeded["a password in a log"]}`,
    `connecting to postgres://shop:${seeded["a password in an address in a log"]}@db/shop`,
    `> Authorization: Bearer ${seeded["a header in a log"]}`,
    "ready",
  ];
  if (op === "getServiceLogs") return lines.map((log) => ({ instance_name: "web-0", log }));
  if (op !== "getJobInstanceLogs") return undefined;
  return [`fatal: password=${seeded["a password in the log of what crashed"]}`, "exit 3"];
}

/** By pointing: the value stands in a form that is refused, looked at, and done. */
async function fillsIn(town: World, env: string): Promise<void> {
  const { developer } = town;
  await says(town, developer, "/gantry create service api");
  await clicks(town, developer, "More settings");
  for (const values of [{ image: "no image", env }, { image: "test/web" }, { name: "by-form" }, {}]) {
    await developer.submits(values);
    await town.settled();
  }
  await town.service("by-form");
  await developer.closes();
}

/** The whole story, in one town. `marker` is no secret: it goes where reasons go. */
async function story(town: World, trouble: Trouble, marker: string): Promise<void> {
  const { developer, approver } = town;
  const say = (text: string) => says(town, developer, `/gantry ${text}`);
  await say(`create service api --image test/web --env DB_PASSWORD=${seeded["an environment value"]}`);
  await say("show service/api");
  await fillsIn(town, `A=${seeded["an environment value that was typed into a form"]}`);
  await say(
    `create service api2 --image test/web --env A=${seeded["an environment value of a command that failed"]} --colour`,
  );
  await say(`create service lacking --env PW=${seeded["an environment value of words that lack an image"]}`);
  await say(`connect ${seeded["a token in a command line"]}`);
  await connects(town, developer, { ...danas, token: seeded["a wrong token"] });
  await connects(town, developer, danas);
  await connectsChannel(town, approver, teams);
  await say("whoami");
  await say(`restart web --reason "${marker}"`);
  await clicks(town, approver, "Approve");
  await say("logs web");
  await say("logs web --private --grep password");
  await say("create job doomed --image test/failing");
  for (const kind of ["401", "echo", "break"] as const) {
    Object.assign(trouble, { kind });
    await say("list");
    await say(
      `create service api3 --image test/web --env A=${seeded["an environment value of a command that failed"]}`,
    );
    await say("scale web 4");
    await connects(town, developer, danas);
  }
  Object.assign(trouble, { kind: "none" });
  town.setPolicy(`
rules:
  - { name: look, who: [members], does: [read], then: allow }
  - name: all else
    who: [members]
    does: [routine, disruptive, destructive]
    then: { approve: { from: [channel-members], expires: 30m } }
`);
  await say(
    `create service waiting --image test/web --env A=${seeded["an environment value that waits for approval"]}`,
  );
  await say("pending");
  await town.crashBot();
  await town.settled();
  await clicks(town, approver, "Approve");
  await say(
    `create service refused --image test/web --env A=${seeded["an environment value that waits for approval"]}`,
  );
  await says(town, approver, `/gantry reject ${idOf(card(developer))} --reason "no"`);
  await clicks(town, developer, "Undo").catch(() => undefined);
  await say("history --json");
  await say("disconnect");
}

test("none of what Gantry is trusted with stands in Slack, in the log, in the database, or in what people are told", async () => {
  const trouble: Trouble = { kind: "none" };
  await using town = await approvalTown({
    users: [danas, teams],
    via: chatty(trouble),
    drain: { graceMs: 50, goodbyeMs: 50 },
  });
  const marker = "marker-that-is-no-secret";
  const [, key = ""] = town.keys.split(":");

  await story(town, trouble, marker);

  const places = placesOf(town);
  const secrets = {
    ...seeded,
    "the workspace's token": town.token,
    "the bot token": town.botToken,
    "the signing secret": town.signingSecret,
    "the sealing key": key,
    "the sealing key's bytes": Buffer.from(key, "base64").toString("latin1"),
  };
  // Rows of history are sealed in the database, and opened for people.
  const rows = JSON.stringify(await town.store().history({ teamId: "T0PLAYGR", limit: 1_000 }));
  expect(found([...places, { name: "history", text: rows }], secrets)).toEqual([]);
  expect(rows).toContain("by-form");
  // The same search finds what may be seen, in each kind of place.
  const kinds = found(places, { name: "waiting" }).map((hit) => /^name in (\w+)/u.exec(hit)?.[1]);
  expect(new Set(kinds)).toEqual(new Set(["Slack", "what", "log", "file", "column"]));
  // A reason is for people only.
  const told = found(places, { marker }).map((hit) => /^marker in (\w+)/u.exec(hit)?.[1]);
  expect(new Set(told)).toEqual(new Set(["Slack", "what"]));
  // And the story did happen: the values went to the service, and the log lines came by.
  expect(town.sent().filter(({ op }) => op === "createService").length).toBeGreaterThanOrEqual(3);
  expect(found(places, { redacted: "[redacted]" }).length).toBeGreaterThan(2);
  expect(card(town.developer)).not.toBe("");
});

/** All bytes of the database on disk. */
function onDisk({ dataDir }: World): string {
  return readdirSync(dataDir)
    .filter((name) => name.startsWith("gantry.sqlite"))
    .map((name) => readFileSync(join(dataDir, name), "latin1"))
    .join("\n");
}

/** The log at its default level. */
function logLines(town: World): string {
  return JSON.stringify(town.logged().filter(({ level }) => Number(level) >= 30));
}

test("text that people typed is in history for those who may see it, but not in the log and not readable in the database", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web --reason swordfish-reason");
  await clicks(town, approver, "Reject");
  await approver.submits({ reason: "marlin-reason" });
  await town.settled();
  await says(town, developer, "/gantry create service barracuda --image test/web --env TUNA_NAME=1");
  await says(town, town.guest, "/gantry scale salmon-typo 4");
  await says(town, developer, "/gantry logs web --grep (herring-expression");
  await says(town, developer, "/gantry shoow trout-verb");

  await says(town, developer, "/gantry history --json");
  const [file] = developer.sees("@gantry").flatMap(({ files }) => files);
  const seen = `${await says(town, developer, "/gantry history")}\n${file?.content}`;

  for (const word of ["swordfish-reason", "marlin-reason", "TUNA_NAME"]) {
    expect(seen, word).toContain(word);
    expect(onDisk(town), word).not.toContain(word);
  }
  for (const word of [
    "swordfish-reason",
    "marlin-reason",
    "TUNA_NAME",
    "salmon-typo",
    "herring-expression",
    "trout-verb",
  ]) {
    expect(logLines(town), word).not.toContain(word);
  }
  // Which Change it was is logged, so that log and history can be put together.
  const [row] = (await town.store().history({ teamId: "T0PLAYGR", limit: 50 })).filter(
    ({ kind }) => kind === "rejected",
  );
  expect(logLines(town)).toContain(String(row?.changeId));
  expect(row?.result).toContain("marlin-reason");
});

test("right after a start, a log is shown, and told of what fails, without its passwords, also where lists don't tell its variables", async () => {
  const secret = "the wren of the house!";
  const listed = { name: "shy", uid: "u1", target_instance_size: 1, status: "Running", ready_instances: 1 };
  const detail = () => ({ ...state, containers: [{ env: [{ name: "DB_PASSWORD", value: secret }] }] });
  let state = listed;
  const apiFetch = async ({ url }: Request): Promise<Response> => {
    const { pathname } = new URL(url);
    if (pathname.endsWith("/logs")) return Response.json([{ instance_name: "shy-1", log: `no entry with ${secret}` }]);
    if (pathname.endsWith("/jobs")) return Response.json({ jobs: [] });
    if (pathname.includes("/jobs/")) return Response.json({}, { status: 404 });
    return Response.json(pathname.endsWith("/services") ? { services: [state] } : detail());
  };
  await using town = await world({ apiFetch, policy: openPolicy });
  await says(town, town.developer, "/gantry logs shy");
  const shown = JSON.stringify(town.developer.sees("ops"));
  await says(town, town.developer, "/gantry watch shy --after 0s");
  await town.sweep();
  await town.restartBot();
  state = { ...listed, status: "Failed", ready_instances: 0 };
  for (let minute = 0; minute < 3; minute += 1) {
    town.passMinutes(1);
    await town.sweep();
    await town.settled();
  }

  expect(shown).toContain("no entry with [redacted]");
  expect(JSON.stringify(town.developer.sees("ops"))).toContain("Last lines of shy");
  expect(found(placesOf(town), { secret })).toEqual([]);
});
