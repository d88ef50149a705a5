import { expect } from "vitest";
import { operationTable, type OperationId } from "../../../src/api/operations.ts";
import type { ContractCase } from "./contract.ts";
import { expectRefusal } from "./refusal.ts";
import { routeOf, type Ask, type World } from "./world.ts";

/** What holds for a request of any operation, before a workload is looked for. */
export const requestCases: readonly ContractCase[] = [
  ...each(() => true, "tells nobody anything without a valid user name and token", refusesStrangers),
  ...each(() => true, "answers 405 with the methods of the path to another method", refusesOtherMethods),
  ...each(() => true, "answers 400 for a region where it does not run", refusesRegions),
  ...each(hasName, "answers 400 for a name of another form", refusesNames),
  ...each(creates, "answers 400 for a new name that ends with a dash", refusesLastDash),
  ...each(findsOne, "answers 404 for a name that is not there", refusesUnknown),
  ...each(hasBody, "answers 400 for a body that is no JSON object, 413 for one that is too large", refusesBodies),
  ...each(hasPages, "answers 400 for days and pages that cannot be", refusesPages),
];

type Applies = (op: OperationId) => boolean;

function each(
  applies: Applies,
  title: string,
  run: (world: World, op: OperationId) => Promise<void>,
): readonly ContractCase[] {
  const operations = Object.keys(operationTable) as OperationId[]; // the keys of the table are the operations
  return operations
    .filter(applies)
    .map((operation) => ({ operation, title, run: async (world) => await run(world, operation) }));
}

function hasName(op: OperationId): boolean {
  return /\{(job|service)_name\}/.test(routeOf(op).template);
}
function creates(op: OperationId): boolean {
  return op.startsWith("create");
}
function findsOne(op: OperationId): boolean {
  return hasName(op) && !op.startsWith("create");
}
function hasBody(op: OperationId): boolean {
  return routeOf(op).body !== undefined;
}
function hasPages(op: OperationId): boolean {
  return routeOf(op).parameters.some((parameter) => parameter.name === "date");
}

/** A request that would be fine if the workload were there. */
function fine({ workloads }: World, op: OperationId): Ask {
  const bodies: { readonly [Op in OperationId]?: unknown } = {
    createJob: { containers: [workloads.lines(1)] },
    createService: { containers: [workloads.web.container], target_instance_size: 0 },
    updateService: { target_instance_size: 1 },
  };
  return { name: "constructor", instance: "toString", ...(bodies[op] !== undefined && { body: bodies[op] }) };
}

async function refusesStrangers(world: World, op: OperationId) {
  const { ask, user1, user2 } = world;
  const strangers = [
    { username: user1.username, Authorization: "" },
    { username: user1.username, Authorization: `token ${user2.token}` },
    { username: user1.username, Authorization: `token ${user1.token}x` },
    { username: user1.username, Authorization: `Bearer ${user1.token}` },
    { username: user1.username, Authorization: user1.token },
    { username: "", Authorization: `token ${user1.token}` },
    { username: "nobody", Authorization: `token ${user1.token}` },
    { username: "nobody", Authorization: "token " },
  ];

  const replies = await Promise.all(strangers.map((headers) => ask(op, { ...fine(world, op), headers })));

  for (const [index, reply] of replies.entries()) expectRefusal(reply, { status: 401, of: strangers[index] });
  // The sentence does not say which of the two was wrong.
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
}

async function refusesOtherMethods(world: World, op: OperationId) {
  const reply = await world.ask(op, { ...fine(world, op), method: "PATCH" });

  expectRefusal(reply, { status: 405 });
  expect(reply.headers.get("allow")?.split(", ")).toContain(routeOf(op).method.toUpperCase());
}

async function refusesRegions(world: World, op: OperationId) {
  const wrong = routeOf(op).tags.includes("jobs")
    ? [world.regions.find((region) => region !== "us"), "moon"]
    : ["moon"];
  for (const region of wrong) {
    const reply = await world.ask(op, { ...fine(world, op), region: region ?? "moon" });

    expectRefusal(reply, { status: 400, of: region });
  }
}

async function refusesNames(world: World, op: OperationId) {
  // A cluster may hold names that no new workload gets.
  const onlyNew = creates(op) ? ["1web", "we.b", "w".repeat(51)] : [];
  for (const name of [
    "Web",
    "-web",
    ".web",
    "we_b",
    "web.",
    "a/b",
    "w".repeat(254),
    "wéb",
    "a b",
    "%2e%2e",
    ...onlyNew,
  ]) {
    const reply = await world.ask(op, { ...fine(world, op), name });

    expectRefusal(reply, { status: 400, naming: "_name ", of: name });
  }
}

async function refusesLastDash(world: World, op: OperationId) {
  for (const name of ["web-", "w-", `${"w".repeat(49)}-`]) {
    const reply = await world.ask(op, { ...fine(world, op), name });

    expectRefusal(reply, { status: 400, naming: "a letter or digit last", of: name });
  }
}

async function refusesUnknown(world: World, op: OperationId) {
  const reply = await world.ask(op, fine(world, op));

  expectRefusal(reply, { status: 404 });
}

async function refusesBodies(world: World, op: OperationId) {
  const good = JSON.stringify(fine(world, op).body);
  const type = "application/json";
  const raws = [
    { text: "", type },
    { text: "{", type },
    { text: good.slice(0, -1), type },
    { text: "[]", type },
    { text: "null", type },
    { text: '"text"', type },
    { text: good, type: "text/plain" },
  ];
  for (const raw of raws) {
    const reply = await world.ask(op, { name: "anything", raw });

    expectRefusal(reply, { status: 400, of: raw });
  }

  const large = await world.ask(op, { name: "anything", raw: { text: `${good}${" ".repeat(1_100_000)}`, type } });

  expectRefusal(large, { status: 413 });
}

async function refusesPages(world: World, op: OperationId) {
  const wrong: readonly Readonly<Record<string, string | number>>[] = [
    { date: "2026.02.30" },
    { date: "2026.13.01" },
    { date: "2026-11-20" },
    { date: "today" },
    { date: "" },
    { date: tomorrow() },
    { from: -1 },
    { from: "many" },
    { from: "1.5" },
    { from: "99999999999999999999" },
    { from: 10_000_001 },
    { date: `2026.11.${"0".repeat(5_000)}1` },
    { size: 0 },
    { size: 1001 },
    { size: "" },
  ];
  for (const query of wrong) {
    const reply = await world.ask(op, { ...fine(world, op), query });

    expectRefusal(reply, { status: 400, naming: String(Object.keys(query)[0]), of: query });
  }
}

/** Two days on, so that midnight does not matter. */
function tomorrow(): string {
  return new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10).replaceAll("-", ".");
}
