import { median, percentile } from "./stats.ts";
import { peakMb } from "./process-stat.ts";
import { type Rig, startIn } from "./rig.ts";
import { atMost, atMostBy, type Row } from "./row.ts";

const MANY = 10_000;
const AT_ONCE = 16;

/** 16 filtered lists of 10,000 services at once, in a bot of their own: its peak of memory is theirs. */
export async function measureLongLists(rig: Rig): Promise<readonly Row[]> {
  const { pid, port } = await startIn(rig);
  await rig.crowd.ask("says", { port, text: "list services", times: 50, concurrency: 1 });
  await rig.crowd.ask("holds", { services: MANY });
  const text = "list services svc-77";
  await rig.crowd.ask("says", { port, text, times: 2, concurrency: 1 });
  const ms: number[] = [];
  for (let round = 0; round < 2 * rig.repetitions; round += 1) {
    const { messageMs } = await rig.crowd.ask("says", { port, text, times: AT_ONCE, concurrency: AT_ONCE });
    ms.push(Math.max(...messageMs));
  }
  const peak = peakMb(pid);
  const beside: Row[] = [];
  for (const count of [MANY, 3 * MANY]) {
    await rig.crowd.ask("holds", { services: count });
    await rig.crowd.ask("says", { port, text: "list services", times: 2, concurrency: 1 });
    beside.push(await besideRow(rig, { port, count }));
  }
  await rig.crowd.ask("holds", undefined);
  process.kill(pid);
  return [
    atMost({ name: "16 filtered lists of 10,000 services at once, the slowest", unit: "ms", ours: ms }, 800),
    atMost({ name: "their peak of memory", unit: "MB", ours: peak }, 500),
    ...beside,
  ];
}

async function besideRow({ crowd, repetitions }: Rig, { port, count }: { port: number; count: number }): Promise<Row> {
  const worst: number[] = [];
  for (let round = 0; round < 5 * repetitions; round += 1) {
    worst.push(Math.max(...(await crowd.ask("acksBeside", { port, text: "list services" }))));
  }
  const name = `another person's ack while somebody lists ${count.toLocaleString("en")} services, the slowest`;
  return atMost({ name, unit: "ms", ours: worst, note: `of all ${Math.max(...worst).toFixed(0)} ms` }, 20);
}

/** Names and statuses out of the text of both lists: what no bot can do without. */
function namesAndStatuses({ services, jobs }: { readonly services: string; readonly jobs: string }): number {
  const startedAt = performance.now();
  // As crowd-api.ts writes them.
  const listed = JSON.parse(services) as { services: { name: string; status: string }[] };
  const ran = JSON.parse(jobs) as { jobs: { metadata: { name: string }; status: { completionTime: string } }[] };
  const rows = [
    ...listed.services.map(({ name, status }) => ({ name, status })),
    ...ran.jobs.map(({ metadata: { name }, status }) => ({ name, status: status.completionTime })),
  ];
  if (rows.length !== 2 * MANY) throw new Error(`there are ${rows.length} workloads`);
  return performance.now() - startedAt;
}

/** `list`, Home and a menu of 10,000 services and 10,000 jobs. */
export async function measureManyWorkloads(rig: Rig): Promise<readonly Row[]> {
  const { port, pid } = await startIn(rig);
  await rig.crowd.ask("says", { port, text: "list", times: 50, concurrency: 1 });
  await rig.crowd.ask("holds", { services: MANY, jobs: MANY });
  const base = `http://127.0.0.1:${rig.ports.apiPort}/v1/regions/beijing1`;
  const textOf = async (kind: string): Promise<string> => (await fetch(`${base}/${kind}`)).text();
  const texts = { services: await textOf("services"), jobs: await textOf("jobs") };
  const lists: [number[], number[]] = [[], []];
  const homes: number[][] = [];
  const menus: number[] = [];
  for (let round = 0; round <= 3 * rig.repetitions; round += 1) {
    const { messageMs } = await rig.crowd.ask("says", { port, text: "list", times: 3, concurrency: 1 });
    const parsed = Array.from({ length: 3 }, () => namesAndStatuses(texts));
    const opened = await rig.crowd.ask("opensHome", { port, times: 20 });
    const picked = await rig.crowd.ask("picks", { port, text: "svc-77", times: 20 });
    if (round === 0) continue;
    lists[0].push(Math.min(...messageMs));
    lists[1].push(Math.min(...parsed));
    homes.push(opened);
    menus.push(median(picked));
  }
  process.kill(pid);
  await rig.crowd.ask("holds", undefined);
  const of = "parsing and mapping the JSON";
  const [ours, parsing] = lists;
  const home = (share: number): readonly number[] => homes.map((opened) => percentile(opened, share));
  const workloads = "10,000 services and 10,000 jobs";
  return [
    atMostBy({ name: `list of ${workloads}`, unit: "ms", ours, base: parsing }, 3, { of }),
    atMost({ name: `Home with ${workloads}, p50`, unit: "ms", ours: home(0.5) }, 10),
    atMost({ name: `Home with ${workloads}, p99`, unit: "ms", ours: home(0.99) }, 20),
    atMost({ name: `a menu of ${workloads}, p50`, unit: "ms", ours: menus }, 10),
  ];
}

/** Everything listed at once by people who share no read, in a bot of their own: its peak of memory is theirs. */
export async function measureManyLists(rig: Rig): Promise<readonly Row[]> {
  const { port, pid } = await startIn(rig);
  const lists = (times: number) =>
    rig.crowd.ask("says", { port, text: "list", times, concurrency: AT_ONCE, areMany: true });
  await rig.crowd.ask("connects", { port, count: AT_ONCE });
  await lists(10 * AT_ONCE);
  await rig.crowd.ask("holds", { services: MANY, jobs: MANY });
  await lists(AT_ONCE);
  const ours: number[] = [];
  for (let round = 0; round < 3 * rig.repetitions; round += 1) ours.push((await lists(AT_ONCE)).wholeMs);
  const peak = peakMb(pid);
  process.kill(pid);
  await rig.crowd.ask("holds", undefined);
  return [
    atMost({ name: "16 lists of 10,000 services and 10,000 jobs at once, 16 accounts", unit: "ms", ours }, 1_500),
    atMost({ name: "their peak of memory", unit: "MB", ours: peak }, 350),
  ];
}

const HUGE = 100_000;

/** An account with 100,000 services, about 45 MB, in a bot of its own: the peak of memory is that of its lists. */
export async function measureHugeList(rig: Rig): Promise<readonly Row[]> {
  const { port, pid } = await startIn(rig);
  await rig.crowd.ask("holds", { services: HUGE });
  const ours: number[] = [];
  for (let round = 0; round <= rig.repetitions; round += 1) {
    const { messageMs } = await rig.crowd.ask("says", { port, text: "list services", times: 1, concurrency: 1 });
    if (round > 0) ours.push(...messageMs);
  }
  const peak = peakMb(pid);
  process.kill(pid);
  await rig.crowd.ask("holds", undefined);
  return [
    atMost({ name: "list of 100,000 services", unit: "ms", ours }, 1_500),
    atMost({ name: "its peak of memory", unit: "MB", ours: peak }, 500),
  ];
}
