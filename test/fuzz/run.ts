import { setTimeout as pause } from "node:timers/promises";
import { asUser, listAll, openClient } from "./client.ts";
import { countsOf, leaked, processesOf, type Counts } from "./counts.ts";
import { makeFindings, type Findings } from "./findings.ts";
import type { Options, SettingName } from "./options.ts";
import { openPlace, type Place } from "./places.ts";
import type { ServiceProcess } from "../support/service-process.ts";
import { startService, users } from "./service-process.ts";
import { checkLists, idleConnections, messageOf, sendRequests, type Storm } from "./storm.ts";

const SETTLED_MS = 120_000;
const CONNECTIONS = 8;

/** One setting from its start to its end: half of the requests, a restart, the other half, and everything deleted. */
export async function runSetting(
  setting: Exclude<SettingName, "raw">,
  options: Options,
  count: number,
): Promise<Findings> {
  const findings = makeFindings();
  const place = openPlace(setting);
  try {
    await play({ place, findings, options, count });
  } catch (error) {
    findings.add(messageOf(error));
  } finally {
    place.remove();
  }
  return findings;
}

type Scene = {
  readonly place: Place;
  readonly findings: Findings;
  readonly options: Options;
  readonly count: number;
};

async function play(scene: Scene): Promise<void> {
  const { findings, count } = scene;
  const half = Math.floor(count / 2);
  const first = await open(scene);
  await warmUp(first);
  if (!(await sendRequests(first, { from: 0, to: half }))) return await startAgain(scene);
  await calm(scene, first);
  const before = await remembered(first);
  await first.stop();

  const second = await open(scene);
  const after = await remembered(second);
  if (before.join("\n") !== after.join("\n")) {
    findings.add(`a restart lists something else:\n${before.join("\n")}\n      and afterwards:\n${after.join("\n")}`);
  }
  const atRest = await emptied(second);
  if (!(await sendRequests(second, { from: half, to: count }))) return await startAgain(scene);
  await calm(scene, second);
  const atEnd = await emptied(second, atRest);
  const more = leaked(atRest, atEnd);
  if (more !== undefined) findings.add(`after everything was deleted there is more than before: ${more}`);
  await second.stop();
  const left = processesOf(scene.place.dataDir);
  if (left.length > 0) findings.add(`processes are left when the service has stopped: ${left.join(", ")}`);
}

type Opened = Storm & { readonly stop: () => Promise<void>; readonly service: ServiceProcess };

async function open(scene: Scene): Promise<Opened> {
  const { place, findings, options } = scene;
  const service = await startService(place);
  const client = openClient(service.url, CONNECTIONS);
  const opened = { service, client, findings, dataDir: place.dataDir, seed: options.seed };
  return {
    ...opened,
    ...trouble(scene, service),
    async stop() {
      client.close();
      const code = await service.stop();
      if (code !== 0) throw new Error(`the service did not stop as it should: ${service.ended() ?? code}`);
    },
  };
}

/** A request that was sent while it was crowded may fail so much later. */
const CROWDED_MS = 1_000;

/** What a setting does to the service meanwhile. */
function trouble({ place, count }: Scene, { url }: ServiceProcess): Pick<Storm, "before" | "isCrowded"> {
  const half = Math.floor(count / 2);
  const isAt = (index: number, share: number) => index % half === Math.floor(half * share);
  let crowdedUntil = 0;
  return {
    isCrowded: () => performance.now() < crowdedUntil,
    async before(index) {
      if (isAt(index, 0.2) || isAt(index, 0.7)) place.disk?.fill();
      if (isAt(index, 0.5) || isAt(index, 0.9)) place.disk?.free();
      if (place.openFiles === undefined || !isAt(index, 0.4)) return;
      crowdedUntil = Number.POSITIVE_INFINITY;
      const giveBack = await idleConnections(url, place.openFiles * 2);
      giveBack();
      crowdedUntil = performance.now() + CROWDED_MS;
    },
  };
}

/** After a death: whether the next start works. */
async function startAgain(scene: Scene): Promise<void> {
  scene.place.disk?.free();
  await until(async () => processesOf(scene.place.dataDir).length === 0, "the programs of a dead service to end");
  const again = await open(scene);
  await pause(3_000);
  const ended = again.service.ended();
  if (ended !== undefined) scene.findings.add(`it died again after its next start: ${ended}`);
  else await again.stop();
}

const small = { containers: [{ image: "gantry/hello-web" }], port_mappings: [{ container_port: 8080 }] };

/** Makes and deletes a service, so that what is opened once is open when things are counted. It works after all trouble. */
async function warmUp(storm: Storm): Promise<void> {
  const path = "/v1/regions/us/services/warm-up";
  const headers = { ...asUser(users[0], "", "").headers, "Content-Type": "application/json" };
  const body = Buffer.from(JSON.stringify({ ...small, target_instance_size: 0 }));
  await until(async () => {
    const { status } = await storm.client.send({ op: "", method: "POST", target: path, headers, body });
    return status === 200 || status === 403 || status === 409;
  }, "a service to be created");
  await storm.client.send(asUser(users[0], "DELETE", path));
}

/** When the trouble is over the service has to work again. */
async function calm({ place }: Scene, storm: Storm): Promise<void> {
  place.disk?.free();
  await until(async () => {
    await checkLists(storm, "after the trouble");
    return true;
  }, "the lists");
  await warmUp(storm);
}

/** What the lists show, without what is about to go. */
async function remembered({ client }: Storm): Promise<string[]> {
  const all = await until(async () => {
    const found = await listAll(client);
    return found.some(({ status }) => status === "Deleting") ? undefined : found;
  }, "deletions to end");
  return all.map(({ path, user, uid }) => `      ${user.username} ${path} ${uid}`).toSorted();
}

/** Deletes everything, and counts when nothing is left or nothing changes any more. */
async function emptied({ client, service, dataDir }: Opened, before?: Counts): Promise<Counts> {
  await until(async () => {
    const all = await listAll(client);
    await Promise.all(all.map(({ path, user }) => client.send(asUser(user, "DELETE", path))));
    return all.length === 0;
  }, "everything to be deleted");
  const count = () => countsOf(service.pid, dataDir);
  await until(async () => {
    const now = count();
    return now.processes === 0 && (before === undefined || leaked(before, now) === undefined);
  }, "").catch(() => undefined);
  return count();
}

async function until<T>(ask: () => Promise<T | undefined | false>, what: string): Promise<T> {
  const deadline = performance.now() + SETTLED_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`waited too long for ${what}`);
    await pause(100);
  }
}
