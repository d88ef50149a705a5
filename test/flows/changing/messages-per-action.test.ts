import { expect, test } from "vitest";
import { openPolicy } from "../../support/open-policy.ts";
import { rolloutTown, type RolloutTown } from "../../support/rollout-town.ts";
import { clicks, says } from "../../support/speak.ts";

const crashes = {
  ready_instances: 0,
  restart_count: 4,
  restarts: { count: 4, first_at: "2026-11-21T12:00:00Z", last_at: "2026-11-21T12:01:00Z" },
  last_state: { reason: "Error", exit_code: 3 },
};

/** Messages of Gantry that people in #ops see, and replies in their threads. An edited message is no new one. */
function seen(town: RolloutTown): { readonly messages: number; readonly replies: number } {
  const all = town.developer.sees("ops").filter(({ isEphemeral }) => !isEphemeral);
  const replies = all.filter(({ ts, threadTs }) => threadTs !== undefined && threadTs !== ts).length;
  return { messages: all.length - replies, replies };
}

type Action = (town: RolloutTown) => Promise<void> | void;

const typed =
  (words: string): Action =>
  async (town) => {
    await says(town, town.developer, `/gantry ${words}`);
    await town.later(4);
  };

/** Each state lasts so many seconds, and Gantry looks every ten. */
const lasts =
  (seconds: number): Action =>
  async (town) => {
    for (let ten = 0; ten < seconds / 10; ten += 1) await town.later(10);
  };

const approved: Action = async (town) => {
  await clicks(town, town.approver, "Approve");
  await town.later(4);
};
const rolledBack: Action = async (town) => {
  await clicks(town, town.developer, "Roll back");
  await town.later(4);
};
const isWell: Action = (town) => town.isWell("web");
const isStuck: Action = (town) => town.isStuck("web", "no such image");
const isCrashing: Action = (town) => town.nowIs("web", crashes);
/** No new instance gets ready, and the old ones come and go. */
const isShaken: Action = async (town) => {
  for (const old of [3, 0, 3, 0, 3, 0]) {
    const rollout = { from: 1, to: 2, state: "stuck", ready: 0, target: 3, old_ready: old };
    town.nowIs("web", { status: "Failed", message: "no such image", rollout });
    await lasts(30)(town);
    await town.settled();
  }
};
const isSlow: Action = (town) => town.nowIs("web", { status: "Updating", target_instance_size: 5 });

const twentyMinutes = lasts(1_200);
const deploy = typed("deploy web 1.5");
const stuckDeploy = typed("deploy web 1.5 --on-failure stop");

type Row = readonly [action: string, messages: number, replies: number, steps: readonly Action[]];

const rows: readonly Row[] = [
  ["a restart", 1, 0, [typed("restart web"), twentyMinutes]],
  ["a deploy", 1, 0, [deploy, lasts(20), isWell, twentyMinutes]],
  ["a deploy that fails and goes back", 1, 2, [deploy, isStuck, lasts(20), isWell, twentyMinutes]],
  ["a deploy of a missing image", 1, 2, [typed("deploy web missing"), isStuck, lasts(20), isWell, twentyMinutes]],
  ["variables that fail and go back", 1, 2, [typed("env web --set A=1"), isStuck, lasts(20), isWell, twentyMinutes]],
  ["a deploy that stays stuck", 1, 1, [stuckDeploy, isStuck, twentyMinutes]],
  ["a deploy that stays stuck for longer than its card tells", 2, 2, [stuckDeploy, isStuck, lasts(3_600)]],
  ["a deploy that takes the old instances down", 1, 2, [stuckDeploy, isStuck, lasts(20), isCrashing, twentyMinutes]],
  ["a deploy whose old instances come and go", 1, 2, [stuckDeploy, isShaken]],
  ["a deploy that somebody rolls back", 2, 1, [stuckDeploy, isStuck, lasts(20), rolledBack, isWell, twentyMinutes]],
  ["a deploy that recovers", 1, 2, [stuckDeploy, isStuck, lasts(60), isWell, twentyMinutes]],
  ["a restart that doesn't come back", 1, 1, [typed("restart web"), lasts(20), isCrashing, twentyMinutes]],
  [
    "a restart that comes back late",
    1,
    2,
    [typed("restart web"), lasts(20), isCrashing, lasts(60), isWell, twentyMinutes],
  ],
  ["a scaling that gets stuck", 1, 0, [typed("scale web 5"), isSlow, twentyMinutes]],
  ["a service that crashes", 1, 2, [lasts(20), isCrashing, lasts(60), isWell, twentyMinutes]],
  ["a mute", 0, 0, [typed("mute web 1h"), twentyMinutes]],
  ["an unmute", 0, 0, [typed("mute web 1h"), typed("unmute web"), twentyMinutes]],
];

/** By the default policy. */
const withApproval: readonly Row[] = [
  ["a restart", 1, 1, [typed("restart web"), approved, twentyMinutes]],
  ["a deploy", 1, 1, [deploy, approved, lasts(20), isWell, twentyMinutes]],
  ["a deploy that fails and goes back", 1, 2, [deploy, approved, isStuck, lasts(20), isWell, twentyMinutes]],
  ["a restart that doesn't come back", 1, 2, [typed("restart web"), approved, lasts(20), isCrashing, twentyMinutes]],
];

async function counted(policy: string | undefined, steps: readonly Action[]): Promise<RolloutTown> {
  const town = await rolloutTown(["web"], { policy });
  await says(town, town.developer, "/gantry watch all --after 0s");
  const before = seen(town);
  expect(before).toEqual({ messages: 1, replies: 0 });
  for (const step of steps) {
    await step(town);
    await town.settled();
  }
  return town;
}

test.each(rows)("%s makes %i message in the channel and %i replies", async (_action, messages, replies, steps) => {
  await using town = await counted(openPolicy, steps);

  expect(seen(town)).toEqual({ messages: 1 + messages, replies });
});

test.each(withApproval)(
  "%s that has to be approved makes %i message in the channel and %i replies",
  async (_action, messages, replies, steps) => {
    await using town = await counted(undefined, steps);

    expect(seen(town)).toEqual({ messages: 1 + messages, replies });
  },
);

test("a deploy that is accepted and never shows makes its reply when Gantry stops watching it", async () => {
  await using town = await rolloutTown(["web"], {
    policy: undefined,
    via: async (request, answer) => (request.method === "PUT" ? Response.json({}, { status: 202 }) : answer(request)),
  });
  await deploy(town);
  await approved(town);
  await town.settled();
  expect(seen(town)).toEqual({ messages: 1, replies: 0 });

  await twentyMinutes(town);
  await town.settled();

  expect(seen(town)).toEqual({ messages: 1, replies: 1 });
  expect(town.thread("ops").at(-1)).toMatch(/^🟡 Deploy :1\.5 to web: accepted, but it doesn't show · @dana/u);
});
