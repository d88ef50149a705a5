import { expect, test } from "vitest";
import {
  refusalOf,
  refusedMoves,
  serviceState,
  type Situation,
} from "../../../../src/service/workloads/services/service-status.ts";

const quiet: Situation = { deleting: false, running: true, activity: undefined, instances: ["ready"] };

test.each<[string, Partial<Situation>, string]>([
  ["runs", {}, "Running"],
  ["has an instance that crashed once", { instances: ["waiting"] }, "Running"],
  ["was just created", { activity: "Starting", instances: ["waiting"] }, "Starting"],
  ["is being updated", { activity: "Updating" }, "Updating"],
  ["has an instance that crashes again and again", { activity: "Starting", instances: ["ready", "failing"] }, "Failed"],
  ["was stopped and still has instances", { running: false, instances: ["stopping"] }, "Stopping"],
  ["was stopped", { running: false, instances: [] }, "Stopped"],
  ["was deleted", { deleting: true }, "Deleting"],
])("a service that %s", (_, change, expected) => {
  expect(serviceState({ ...quiet, ...change })).toBe(expected);
});

test("which move is refused in which state, and why", () => {
  const states = ["Starting", "Running", "Stopping", "Stopped", "Updating", "Failed", "Deleting"] as const;
  const moves = ["start", "stop", "restart", "update"] as const;

  const refused = moves.map((move) => `${move}: ${states.filter((state) => refusalOf(move, "web", state)).join(" ")}`);

  expect(refused).toMatchInlineSnapshot(`
    [
      "start: Starting Running Updating Deleting",
      "stop: Stopping Stopped Deleting",
      "restart: Stopping Stopped Deleting",
      "update: Deleting",
    ]
  `);
  expect(refusalOf("start", "web", "Starting")).toMatchInlineSnapshot(
    `"service web is starting and can't be started: it was started already"`,
  );
  expect(refusalOf("stop", "web", "Stopped")).toMatchInlineSnapshot(
    `"service web is stopped and can't be stopped: nothing to stop"`,
  );
  expect(refusalOf("restart", "web", "Stopped")).toMatchInlineSnapshot(
    `"service web is stopped and can't be restarted: start it first"`,
  );
});

test("what a state forbids is told before anybody asks for it, except for what would change nothing", () => {
  const told = (state: string) => refusedMoves("web", state).map(({ operation }) => operation);

  expect(told("Running")).toEqual([]);
  expect(told("Updating")).toEqual(["startService"]);
  expect(told("Stopped")).toEqual(["restartService"]);
  expect(told("Stopping")).toEqual(["stopService", "restartService"]);
  expect(told("Deleting")).toEqual(["startService", "stopService", "restartService", "updateService"]);
  expect(told("a word of another engine")).toEqual([]);
  expect(refusedMoves("web", "Stopped")[0]?.reason).toBe(
    "Service web is stopped and can't be restarted: start it first.",
  );
});
