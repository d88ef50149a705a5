import { localTime } from "../../src/platform/zones.ts";
import type { Violation } from "./faults.ts";
import type { PointName } from "./points.ts";
import { acts, type Scene } from "./scene.ts";
import { isSoon, patience, waitFor } from "./wait-for.ts";

/** What is asked for comes within this, or was lost with a replica; on a busy machine the next try waits longer. */
const DONE_WITHIN_MS = 3_000;
const MINUTE_MS = 60_000;
/** In the time of the replicas: longer than a list may be old that a digest is made of, so that it knows the service. */
const SET_UP_MS = 65_000;
/** Of the simulated workspace's people. */
const ZONE = "Europe/Berlin";

/** What happens only when a watched service fails, and only when it recovers. */
const atFirst: ReadonlySet<PointName> = new Set<PointName>(["placeNotices", "slack: post the card"]);
const atTheEnd: ReadonlySet<PointName> = new Set<PointName>(["slack: update the card"]);

/** Its message, which changes; the line in its thread; and the rest, each in one message. */
const alert = /^(?:🔴|🟢) /u;
const recovery = /^🟢 .* recovered after /u;
const digest = /^# Digest: /u;
const replies: ReadonlySet<RegExp> = new Set([recovery]);

/** A watched service fails and recovers: somebody is killed while the first is found and told, or the second. */
export async function failsAndRecovers(scene: Scene): Promise<void> {
  const { cluster, name, random } = scene;
  await watches(scene, "--after 0");
  let happened = 0;
  const wanted = random() < 0.5 ? 1 : 2;
  scene.arm(() => {
    const point = cluster.trap.armed()?.name ?? "beat";
    return happened >= (atFirst.has(point) ? 1 : atTheEnd.has(point) ? 2 : wanted);
  });
  for (const mark of ["🔴", "🟢"]) {
    cluster.service.fails(name, mark === "🔴");
    happened += 1;
    const isTold = () => alertsOf(scene).some(({ text }) => text.startsWith(mark));
    await waitFor(cluster.pulse, isTold, `${mark} is told`);
    await allTold(scene);
  }
  scene.toTell.push(alert, recovery);
  await unwatches(scene);
}

/** A digest about a service that needs attention becomes due. */
export async function getsDigest(scene: Scene): Promise<void> {
  const { cluster, name } = scene;
  const { pulse, records } = cluster;
  cluster.service.fails(name, true);
  let dueMs = 0;
  const isSet = async () => Math.abs(Date.parse((await records.digestAt(name)) ?? "") - dueMs) < MINUTE_MS / 2;
  // One that was set too late is due tomorrow.
  while (!(await isSet())) {
    await unwatches(scene, "--digest");
    dueMs = Math.ceil((cluster.nowMs() + SET_UP_MS) / MINUTE_MS) * MINUTE_MS;
    await watches(scene, `--digest daily ${localTime(new Date(dueMs), ZONE).time.slice(0, "00:00".length)}`);
    const isScheduled = async () => Date.parse((await records.digestAt(name)) ?? "") % MINUTE_MS === 0;
    await waitFor(pulse, isScheduled, "the digest has its time");
  }
  scene.arm();
  scene.toTell.push(digest);
  await waitFor(pulse, () => toldOf(scene).some(({ text }) => digest.test(text)), "the digest is told");
  await allTold(scene);
  await unwatches(scene, "--digest");
}

/** A channel is told who watches and stops watching. A mute between them is told only to whoever asked. */
export async function announces(scene: Scene): Promise<void> {
  const { cluster, name, random } = scene;
  const steps: readonly (readonly [edge: PointName, act: () => Promise<void>])[] = [
    ["addWatch", () => watches(scene, "--after 5m")],
    ["mute", () => says(scene, `mute ${name} 1h`, async () => (await cluster.records.mutes(name)) > 0)],
    ["removeWatch", () => unwatches(scene)],
  ];
  let begun = 0;
  const wanted = 1 + Math.floor(random() * steps.length);
  scene.arm(() => {
    const own = steps.findIndex(([edge]) => edge === cluster.trap.armed()?.name);
    return begun >= (own < 0 ? wanted : own + 1);
  });
  for (const [, act] of steps) {
    begun += 1;
    await act();
    await allTold(scene);
  }
  scene.toTell.push(/ watches /u, / stopped watching /u);
}

/** Says it until it is so: whoever sees nothing of it asks again. */
async function says(scene: Scene, words: string, isSo: () => Promise<boolean>): Promise<void> {
  const { playground, pulse } = scene.cluster;
  const dana = playground.as("dana");
  const { ended } = patience(pulse);
  for (let tried = 1; !(await isSo()); tried += 1) {
    const why = ended();
    if (why !== undefined) throw new Error(`${words}: ${why}; ${pulse.describe()}`);
    await acts(scene, { person: dana, what: "look" }, () => dana.says(`/gantry ${words}`, { channel: "ops" }));
    await isSoon(isSo, DONE_WITHIN_MS * tried);
  }
}

async function watches(scene: Scene, how: string): Promise<void> {
  const isSo = async () => (await scene.cluster.records.watches(scene.name)) > 0;
  await says(scene, `watch service/${scene.name} ${how}`, isSo);
  await allTold(scene);
}

async function unwatches(scene: Scene, how = ""): Promise<void> {
  const isSo = async () => (await scene.cluster.records.watches(scene.name)) === 0;
  await says(scene, `unwatch service/${scene.name} ${how}`, isSo);
  await allTold(scene);
}

async function allTold({ cluster: { pulse, records } }: Scene): Promise<void> {
  const isSo = async () => (await records.untold()) === 0 && (await records.unfinished()).length === 0;
  await waitFor(pulse, isSo, "all that is due is told");
}

type Told = { readonly isReply: boolean; readonly text: string };

/** What the channel reads of the bot about the service, oldest first. */
function toldOf({ cluster, name }: Scene): readonly Told[] {
  const isAbout = new RegExp(`\\b${name}\\b(?!-)`, "u");
  return cluster.playground
    .as("dana")
    .sees("ops")
    .filter(({ author, isEphemeral, text }) => author === "gantry" && !isEphemeral && isAbout.test(text))
    .map(({ ts, threadTs = ts, text }) => ({ isReply: threadTs !== ts, text }));
}

function alertsOf(scene: Scene): readonly Told[] {
  return toldOf(scene).filter(({ isReply, text }) => !isReply && alert.test(text));
}

const isAgain = ({ text }: Told): boolean => /(?:posted|sent) again/iu.test(text);

/** What had to be told was, once; again only with a note, and only if a kill lost Slack's answer. What it says at the end is true. */
export function faultsOfWatching(scene: Scene): Violation[] {
  const { toTell, cluster } = scene;
  const found: Violation[] = [];
  let extra = 0;
  for (const what of toTell) {
    const messages = toldOf(scene).filter(({ isReply, text }) => what.test(text) && isReply === replies.has(what));
    const said = `${what.source}: ${messages.map(({ text }) => text.replaceAll("\n", " / ")).join(" | ")}`;
    if (messages.length === 0) found.push({ fault: "messages lost", what: said });
    if (messages.slice(1).some((each) => !isAgain(each))) found.push({ fault: "messages told twice", what: said });
    extra += Math.max(0, messages.length - 1);
    if (what === alert && messages.at(-1)?.text.startsWith("🟢") === false)
      found.push({ fault: "untrue settlements", what: said });
  }
  const lost = cluster.lostAnswers.count();
  if (extra > lost) found.push({ fault: "messages told twice", what: `${extra} again, and ${lost} answers were lost` });
  return found;
}
