import type { Violation } from "./faults.ts";
import { acts, buttonsIn, type Scene } from "./scene.ts";
import { isSoon, patience, waitFor } from "./wait-for.ts";

const FOLLOWED_WITHIN_MS = 3_000;
const BATCHES = 5;
const LINES = 3;

type Head = { readonly ts: string; readonly isLive: boolean; readonly numbers: readonly number[] };

/** The messages that say that the log is followed, each with the numbers of the lines in its thread. */
function heads({ cluster }: Scene): readonly Head[] {
  const seen = cluster.playground.as("dana").sees("ops");
  const begun = seen.filter(({ text, author }) => author === "gantry" && /^(?:▶️ Following|⏹️ Followed) /u.test(text));
  return begun.map(({ ts, blocks }) => {
    const thread = seen.filter(({ threadTs, ts: of }) => threadTs === ts && of !== ts);
    const numbers = thread.flatMap(({ text }) =>
      [...text.matchAll(/line (\d+)\./gu)].map(([, digits]) => Number(digits)),
    );
    return { ts, isLive: buttonsIn(blocks).includes("Stop following"), numbers };
  });
}

/** Follows a log, in which lines are written, until somebody stops it. A read isn't stored: who got nothing asks again. */
export async function followsLog(scene: Scene): Promise<void> {
  const { cluster, name } = scene;
  const { playground, pulse, service, records } = cluster;
  const log = service.logOf(name);
  const dana = playground.as("dana");
  scene.arm();
  const write = (): void => void log.push(...Array.from({ length: LINES }, (_, at) => `line ${log.length + at + 1}.`));
  write();
  const isFollowed = () => heads(scene).length > 0;
  const { ended } = patience(pulse);
  let asked = 0;
  while (!isFollowed()) {
    const why = ended();
    if (why !== undefined) throw new Error(`the log isn't followed: ${why}; ${pulse.describe()}`);
    // A stored one gets its message from any replica; one whose message Slack didn't take is gone.
    if ((await records.follows()) === 0) {
      const words = `/gantry logs service/${name} --follow --for 60m`;
      await acts(scene, { person: dana, what: "look" }, () => dana.says(words, { channel: "ops" }));
      asked += 1;
    }
    await isSoon(isFollowed, FOLLOWED_WITHIN_MS * asked);
  }
  const isTold = (): boolean => heads(scene).some(({ numbers }) => numbers.at(-1) === log.length);
  for (let batch = 1; batch < BATCHES; batch += 1) {
    write();
    await waitFor(pulse, isTold, `line ${log.length} is told`);
  }
  await stops(scene);
}

async function stops(scene: Scene): Promise<void> {
  const { pulse, records, playground } = scene.cluster;
  const alex = playground.as("alex");
  // Every follow tells all lines before it ends; two were begun if the first answer was late.
  const isOver = async () => (await records.follows()) === 0 && heads(scene).every(({ isLive }) => !isLive);
  const { ended } = patience(pulse);
  while (!(await isOver())) {
    const why = ended();
    if (why !== undefined) throw new Error(`a follow that was stopped isn't over: ${why}; ${pulse.describe()}`);
    const live = heads(scene).find(({ isLive }) => isLive);
    if (live === undefined) {
      await waitFor(pulse, isOver, "a follow whose message says that it is over, is");
      continue;
    }
    const where = { channel: "ops", thread: live.ts };
    await acts(scene, { person: alex, what: "look" }, () => alex.clicks("Stop following", where));
    await isSoon(() => heads(scene).every(({ ts, isLive }) => ts !== live.ts || !isLive), FOLLOWED_WITHIN_MS);
  }
}

/** Each line once and in order, in each thread, and all of them in one. */
export function faultsOfFollows(scene: Scene): Violation[] {
  const written = scene.cluster.service.logOf(scene.name).length;
  const threads = heads(scene).filter(({ numbers }) => numbers.length > 0);
  if (written === 0) return [];
  const found: Violation[] = [];
  for (const { numbers, ts } of threads) {
    const what = `thread ${ts} of ${written} lines: ${numbers.join(" ")}`;
    if (new Set(numbers).size < numbers.length) found.push({ fault: "lines told twice", what });
    const isWhole = numbers.every((number, at) => number === (numbers[0] ?? 0) + at);
    if (!isWhole && new Set(numbers).size === numbers.length) found.push({ fault: "lines lost", what });
  }
  if (!threads.some(({ numbers }) => numbers[0] === 1 && numbers.at(-1) === written)) {
    const told = threads.map(({ numbers }) => numbers.join(" ")).join(" and ");
    found.push({ fault: "lines lost", what: `no thread has all ${written} lines: ${told}` });
  }
  return found;
}
