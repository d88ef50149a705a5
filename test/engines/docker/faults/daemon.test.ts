import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { randomFrom } from "../../../kill/random.ts";
import { missingFor } from "../../../support/daemons/daemon-command.ts";
import { type OwnDaemon, ownDaemon } from "../../../support/daemons/own-daemon.ts";
import { daemonOf, testDaemons } from "../../../support/docker.ts";
import { isLong } from "../../support/long.ts";
import { killServiceProcesses } from "../../../support/service-process.ts";
import { changes, type Verdict } from "../kill/changes.ts";
import { wrongContainers } from "../kill/inspect.ts";
import { type About, asked, clearAway, isAboutJob, prepare, settled, unreachable } from "../kill/round.ts";
import { type Lane, openLane } from "../support/lane.ts";

const rounds = isLong ? 20 : 2;
const seed = Number(process.env["GANTRY_TEST_SEED"] ?? "1");
const LONGEST_MS = 1_500;
/** A rollout takes the most steps, so it is in each run. */
const first = changes.findIndex(({ name }) => name === "deploy");

type Round = About & { readonly afterMs: number; readonly signal: "SIGTERM" | "SIGKILL" };
type Outcome = {
  readonly round: Round;
  readonly told: string;
  readonly verdict: Verdict;
  readonly violations: readonly string[];
};

/** Plays one change, on the way of which the daemon is ended and started again. */
async function playRound(lane: Lane, own: OwnDaemon, round: Round): Promise<Outcome> {
  const { world } = lane;
  await prepare(lane, round);
  const before = (await lane.containers()).map(({ id }) => id);
  const answer = world.ask(round.change.op, asked(round));
  await pause(round.afterMs);
  await own.end(round.signal);
  const away = await world.until(
    () => world.ask("listServices"),
    ({ status }) => status !== 200,
  );
  const reply = await answer;
  await own.start();

  const after = await settled(lane, round);
  const containers = await lane.containers();
  const kept = containers.filter(({ id }) => before.includes(id)).length;
  // Docker ends its containers too, so that others run afterwards in any case.
  const isRestart = round.change.op === "restartService";
  const verdict = isRestart ? "took effect" : round.change.verdict({ after, kept, before: before.length });
  const violations = [
    ...(reply.status === 200 && verdict !== "took effect" ? [`lost: it was answered with 200 and ${verdict}`] : []),
    ...(reply.status === 503 && !isRestart && verdict !== "did not" ? [`refused with 503, and ${verdict}`] : []),
    ...([200, 503].includes(reply.status) ? [] : [`answered with ${reply.status} ${reply.text}`]),
    ...(away.status === 503 && /doesn't answer|since/u.test(away.text) ? [] : [`away: ${away.status} ${away.text}`]),
    ...(await wrongContainers(lane, after)),
    ...(after.status === 200 && !isAboutJob(round) ? await unreachable(after.body as { name: string }) : []), // a service
    ...(await clearAway(lane, round)),
  ];
  return { round, told: String(reply.status), verdict, violations };
}

function lineOf(kind: string, { round, told, verdict, violations }: Outcome): string {
  const { change, signal, afterMs } = round;
  const bad = violations.map((violation) => `\n  ! ${violation}`).join("");
  return `${kind}: ${change.name}: ${signal} after ${afterMs} ms; client told ${told}; ${verdict}${bad}`;
}

afterAll(killServiceProcesses);

for (const { kind, title, missing } of await testDaemons()) {
  const notHere = missing ?? missingFor(kind);
  const reason = missing === undefined && notHere !== undefined ? ` (skipped: ${notHere})` : "";
  describe.skipIf(notHere !== undefined)(`${title} is ended and started again during changes${reason}`, () => {
    test(`in ${rounds} rounds nothing is lost, doubled or orphaned`, { timeout: 30 * 60_000 }, async () => {
      const random = randomFrom(seed);
      const own = ownDaemon(kind);
      try {
        await own.start();
        await using lane = await openLane(await daemonOf(kind, own.host), { isDirect: true });
        const outcomes: Outcome[] = [];
        for (let number = 0; number < rounds; number += 1) {
          const change = changes[(first + number * 3) % changes.length];
          if (change === undefined) throw new Error("no changes");
          const signal = number % 2 === 0 ? "SIGTERM" : "SIGKILL";
          const afterMs = Math.floor(random() * LONGEST_MS);
          const outcome = await playRound(lane, own, { name: `round${number}`, change, afterMs, signal });
          process.stdout.write(`${lineOf(kind, outcome)}\n`);
          outcomes.push(outcome);
        }
        expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
      } finally {
        own.remove();
      }
    });
  });
}
