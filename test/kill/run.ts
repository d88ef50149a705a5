import { planOf, type Point, type StoryName } from "./points.ts";
import type { Options, Transport } from "./options.ts";
import type { Databases } from "./databases.ts";
import { randomFrom, shuffled } from "./random.ts";
import { playRound, type Round } from "./round.ts";
import { countFaults, countKill, keyOf, newTally, type Tally } from "./tally.ts";
import { playWithoutKills } from "./without-kills.ts";
import { openCluster } from "./cluster.ts";

/** A point that was not come to is tried again so often, without being passed before. */
const TRIES = 12;

/** Added to the number of a round each time that it is tried again. */
const AGAIN = 10_000;

type Waiting = { readonly round: Round; readonly tries: number };
export type RunOptions = Pick<Options, "replays" | "expectsFailure" | "seed"> & {
  /** Clusters at the same time. */
  readonly lanes: number;
  readonly points: readonly Point[];
  readonly rounds: number;
  readonly transport: Transport;
  /** Whether replicas are stopped for a while, and buttons clicked by many at once, as well. */
  readonly hasChecks: boolean;
  /** The only one that is played. */
  readonly round?: number | undefined;
  /** The arguments that choose the same rounds. */
  readonly repeatWith: string;
  /** Called after each round. */
  readonly onRound?: (line: string) => void;
};

/** Plays rounds in several clusters at the same time, until all are over. */
export async function runRounds(databases: Databases, options: RunOptions): Promise<Tally> {
  const tally = newTally();
  const queue = roundsOf(options);
  /** A broken bot is found out once. */
  const isFoundOut = (): boolean => options.expectsFailure && tally.found.length > 0;
  const play = async (lane: number): Promise<void> => {
    const random = randomFrom(options.seed * 1_000 + lane);
    const { replays } = options;
    const onKill = (point: Point) => countKill(tally, point);
    const cluster = await openCluster({
      database: await databases.next(),
      size: databases.replicas,
      replays,
      transport: options.transport,
      random,
      onKill,
    });
    try {
      // In the first cluster, while the others begin.
      if (lane === 0 && options.hasChecks) {
        const repeatWith = `${options.repeatWith} --checks`;
        for await (const { line, violations } of playWithoutKills(cluster, databases.replicas)) {
          tally.checks.push(line);
          countFaults(tally, { violations, where: line, repeatWith, trace: cluster.trace.lines() });
          options.onRound?.(line);
        }
      }
      for (let next = queue.shift(); next !== undefined && !isFoundOut(); next = queue.shift()) {
        const { round, tries } = next;
        const since = performance.now();
        // Whichever cluster plays it: the same round makes the same choices.
        const random = randomFrom(options.seed * 100_003 + round.number);
        const { isReached, violations, repeated } = await playRound(cluster, round, random);
        tally.rounds += 1;
        tally.repeated += repeated;
        const where = `round ${round.number}, ${round.story}, ${keyOf(round.point)}`;
        const repeatWith = `${options.repeatWith} --round ${round.number % AGAIN}`;
        countFaults(tally, { violations, where, repeatWith, trace: cluster.trace.lines() });
        options.onRound?.(`${where}: ${isReached ? "" : "not reached, "}${Math.round(performance.now() - since)} ms`);
        if (isReached) continue;
        tally.missed += 1;
        if (tries < TRIES) queue.push({ round: again(round, storyFor(round.point, random)), tries: tries + 1 });
      }
    } finally {
      tally.lateAcks += cluster.deliveries.lateAcks();
      await cluster.close();
    }
  };
  const lanes = Math.max(1, Math.min(options.lanes, queue.length));
  await Promise.all(Array.from({ length: lanes }, (_, lane) => play(lane)));
  return tally;
}

/** Every point in turn, in an order of the seed, each with a story on whose way it lies. */
function roundsOf({ rounds, seed, points, replays, round: only }: RunOptions): Waiting[] {
  const random = randomFrom(seed);
  const turns = Math.ceil(rounds / points.length);
  const order = Array.from({ length: turns }, () => shuffled(points, random)).flat();
  const all = order.slice(0, rounds).map((point, index): Waiting => {
    const passes = Math.floor(random() * ((planOf(point).passes ?? 0) + 1));
    // What was sent with an approval can be sent again by a bot that does so.
    const story = replays ? "approved" : storyFor(point, random);
    return { round: { number: index + 1, point, story, passes, isAboutRestarts: replays }, tries: 1 };
  });
  return all.filter(({ round }) => only === undefined || round.number === only);
}

function storyFor(point: Point, random: () => number): StoryName {
  const { stories } = planOf(point);
  return stories[Math.floor(random() * stories.length)] ?? "approved";
}

/** Under another name, because services and their writes are told apart by it. */
function again(round: Round, other: StoryName): Round {
  const story = round.isAboutRestarts ? round.story : other;
  return { ...round, number: round.number + AGAIN, passes: 0, story };
}
