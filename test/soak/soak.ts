import { randomFrom } from "../kill/random.ts";
import { runProgram } from "../support/program.ts";
import type { Soak } from "./acting.ts";
import { type Asker, createActors, forgetOld } from "./actor.ts";
import { newLedger } from "./ledger.ts";
import { growthOf, watchMemory } from "./memory.ts";
import { type Options, readOptions, usage } from "./options.ts";
import { createPace } from "./pace.ts";
import { reconcile } from "./reconcile.ts";
import { endAllReplicas } from "./replica.ts";
import { DELIVERIES_A_SECOND, failuresOf, reportOf } from "./report.ts";
import { openStage } from "./stage.ts";
import { findDuplicates, findRepliesTooMany } from "./duplicates.ts";
import { changing, reading } from "./stories.ts";
import { makeTrouble, type Troubles } from "./trouble.ts";

/** The soak: many people for minutes, on the bot as it is deployed, while Slack, the network and replicas fail. */

const LONGEST_RUN_MS = 3 * 60 * 60_000;
const PEOPLE = 40;

async function main(options: Options): Promise<number> {
  const since = performance.now();
  const note = (line: string): void =>
    void process.stderr.write(`${((performance.now() - since) / 1000).toFixed(1)} s ${line}\n`);
  const ledger = newLedger();
  const stage = await openStage({ ...options, ledger, note });
  try {
    const actors = createActors(stage.playground, PEOPLE);
    for (const { free, kept } of actors) {
      await stage.service.create(free);
      await stage.service.create(kept);
    }
    note(`${actors.length} people, ${stage.replicas.length} replicas`);
    const troubles: Troubles = { slowMessages: 0, refreshes: 0, cutAtMs: [], stops: 0, killedAtMs: [] };
    let isOver = false;
    const soak: Soak = {
      stage,
      ledger,
      troubles,
      pace: createPace(DELIVERIES_A_SECOND),
      random: randomFrom(options.seed),
      isOver: () => isOver,
    };
    const memory = watchMemory(stage.replicas[0]);
    const beganAt = performance.now();
    const going = actors.map((actor) => live(soak, actor));
    await makeTrouble(stage, troubles, { ...options, forMs: options.minutes * 60_000 });
    isOver = true;
    const endedAt = performance.now();
    const seconds = (endedAt - beganAt) / 1000;
    const growth = {
      resident: growthOf(memory.resident(), beganAt, endedAt),
      held: growthOf(memory.held(), beganAt, endedAt),
    };
    memory.stop();
    note("nobody begins anything new");
    await Promise.all(going);
    soak.pace.stop();
    note("everybody is done");
    await reconcile(soak, actors);
    for (const actor of actors) {
      findDuplicates(soak, actor);
      findDuplicates(soak, actor.approver);
      findRepliesTooMany(soak, actor, 0);
    }
    return verdict({ options, ledger, troubles, seconds, growth });
  } finally {
    await stage.close();
  }
}

/** One person, until nobody begins anything new. */
async function live(soak: Soak, actor: Asker): Promise<void> {
  while (!soak.isOver()) {
    await oneOf(actor.mayChange ? changing : reading, soak.random())(soak, actor);
    findDuplicates(soak, actor);
    findDuplicates(soak, actor.approver);
    findRepliesTooMany(soak, actor);
    forgetOld(soak.stage.playground, actor);
  }
}

function oneOf(stories: typeof reading, chosen: number): (typeof reading)[number]["play"] {
  let left = chosen * stories.reduce((sum, { share }) => sum + share, 0);
  const story = stories.find(({ share }) => (left -= share) < 0) ?? stories[0];
  if (story === undefined) throw new Error("there are no stories");
  return story.play;
}

function verdict(result: Parameters<typeof reportOf>[0]): number {
  process.stdout.write(`${reportOf(result)}\n`);
  const failures = failuresOf(result);
  for (const failure of failures) process.stdout.write(`  ! ${failure}\n`);
  if (!result.options.expectsFailure) return failures.length > 0 ? 1 : 0;
  process.stdout.write(failures.length > 0 ? "It was found out, as it had to be.\n" : "Nothing was found.\n");
  return failures.length > 0 ? 0 : 1;
}

await runProgram({
  name: "The soak",
  longestMs: LONGEST_RUN_MS,
  usage,
  readOptions,
  main,
  atExit: endAllReplicas,
});
