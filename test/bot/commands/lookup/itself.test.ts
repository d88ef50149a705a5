import { expect, test } from "vitest";
import type { Service } from "../../../../src/api/answers.ts";
import { readConfig } from "../../../../src/bot/compose/config.ts";
import { service } from "../../views/support/workloads.ts";
import { ableEngine, proposalTo, scripted } from "../support/script.ts";

const command = "kubectl -n ops scale deployment/gantry --replicas=2";
const { host } = readConfig({}).settings;
const bot = { instance_names: ["gantry-7d9f-other", host], start_command: command };
const api = { instance_names: ["gantry-api-5c4"], start_command: command, runs_this_api: true };

const revisions = [
  { revision: 3, images: ["gantry:3"], is_current: true },
  { revision: 2, images: ["gantry:2"], outcome: "done" as const },
];

test.each<[string, Partial<Service>, readonly string[]]>([
  ["stop gantry", bot, ["Gantry itself stops: nobody answers afterwards", `to bring it back: ${command}`]],
  ["scale gantry 0", bot, ["Gantry itself stops: nobody answers afterwards", `to bring it back: ${command}`]],
  ["delete gantry", bot, ["Gantry itself is deleted: nobody answers afterwards", "to bring it back: deploy it again"]],
  ["restart gantry", bot, ["Gantry itself restarts: nobody answers for a while"]],
  ["memory gantry 1024", bot, ["Gantry itself restarts: nobody answers for a while"]],
  ["deploy gantry gantry:2", { ...bot, revision: 3 }, ["Gantry itself restarts: nobody answers for a while"]],
  ["rollback gantry", { ...bot, revision: 3, revisions }, ["Gantry itself restarts: nobody answers for a while"]],
  ["stop gantry", api, ["Gantry's workload API stops: no request works afterwards", `to bring it back: ${command}`]],
  ["restart gantry", api, ["Gantry's workload API restarts: no request works for a while"]],
  ["scale gantry 5", bot, []],
  ["domains gantry add a.example.com", bot, []],
  ["start gantry", { ...bot, status: "Stopped" }, []],
  ["stop gantry", { ...bot, status: "Stopped" }, []],
  ["stop gantry", { ...bot, instance_names: ["gantry-7d9f-other"] }, []],
  [
    "stop gantry",
    { ...bot, start_command: undefined },
    ["Gantry itself stops: nobody answers afterwards", "to bring it back: start it without Gantry"],
  ],
])("%s of the service in which Gantry runs says what becomes of it", async (words, itself, lines) => {
  const script = scripted({ services: [service("gantry", itself)], engine: ableEngine });
  const proposal = await proposalTo(words, script);
  if (proposal.kind !== "proposed") throw new Error(proposal.kind);
  const { change } = proposal;

  expect(change.itself ?? []).toEqual(lines);
  if (lines.length > 0) expect(change.diff.slice(-lines.length)).toEqual(lines);
});
