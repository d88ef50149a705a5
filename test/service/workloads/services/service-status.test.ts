import { expect, test } from "vitest";
import { refusalOf, serviceState, type Situation } from "../../../../src/service/workloads/services/service-status.ts";

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
      "start: Starting Running Stopping Updating Deleting",
      "stop: Starting Stopping Stopped Deleting",
      "restart: Starting Stopping Stopped Deleting",
      "update: Starting Deleting",
    ]
  `);
  expect(refusalOf("start", "web", "Starting")).toMatchInlineSnapshot(
    `"service web is starting and can't be started: wait until it runs"`,
  );
  expect(refusalOf("stop", "web", "Stopped")).toMatchInlineSnapshot(
    `"service web is stopped and can't be stopped: nothing to stop"`,
  );
  expect(refusalOf("restart", "web", "Stopped")).toMatchInlineSnapshot(
    `"service web is stopped and can't be restarted: start it first"`,
  );
});
