import type { BareSocketAppCalls } from "./bare-socket-app.ts";
import type { Receiver } from "./crowd.ts";
import { startRemote } from "./remote.ts";
import { inTurn, type Rig, startBare, startIn } from "./rig.ts";
import { atMost, atMostBy, type Row } from "./row.ts";
import { percentile } from "./stats.ts";

type Apps = { readonly ours: Receiver; readonly base: Receiver };

/** Of `list`, until it is acked, beside a bare app that only acks. */
export async function measureAcks(rig: Rig): Promise<readonly Row[]> {
  const http: Apps = { ours: { port: rig.gantry.port }, base: { port: (await startBare()).port } };
  const sockets = await startSocketApps(rig, "acks");
  return [
    await ackRow(rig, http, { name: "over HTTP, one at a time", concurrency: 1, most: 1.25 }),
    await ackRow(rig, http, { name: "over HTTP, 16 at a time", concurrency: 16, most: 1.15 }),
    await ackRow(rig, sockets, { name: "over Socket Mode, one at a time", concurrency: 1, most: 1.5 }),
    await ackRow(rig, sockets, { name: "over Socket Mode, 16 at a time", concurrency: 16, most: 1.5 }),
  ];
}

type Goal = { readonly name: string; readonly concurrency: number; readonly most: number };

async function ackRow(rig: Rig, { ours, base }: Apps, { name, concurrency, most }: Goal): Promise<Row> {
  const p99 = async (to: Receiver, times: number): Promise<number> =>
    percentile(await rig.crowd.ask("acks", { to, times, concurrency, areAnswered: to === ours }), 0.99);
  const rounds = await inTurn(rig, { ours, base, times: 500 }, p99);
  return atMostBy({ name: `ack ${name}, p99`, unit: "ms", ...rounds }, most);
}

/** The bot, and a bare app that only acks, over the one connection that Bolt opens. */
async function startSocketApps(rig: Rig, use: string) {
  const [ours, base] = [{ appToken: `xapp-gantry-${use}` }, { appToken: `xapp-bare-${use}` }];
  await startIn(rig, ours);
  const bare = await startRemote<BareSocketAppCalls>("./bare-socket-app.ts");
  await bare.ask("connect", { ...base, slackUrl: `http://127.0.0.1:${rig.ports.slackPort}` });
  return { ours, base };
}

/** What is lost when Slack ends all connections of an app at once, a command every 10 ms. Slack warns 10 s before, or not at all. */
export async function measureRefresh(rig: Rig): Promise<readonly Row[]> {
  const apps = await startSocketApps(rig, "refresh");
  const lostBy = async ({ appToken }: { readonly appToken: string }) => {
    let [sent, lost] = [0, 0];
    for (const warnMs of [2_000, 2_000, 2_000, 200, 200, 200]) {
      const refreshed = await rig.crowd.ask("refreshes", { appToken, warnMs });
      sent += refreshed.sent;
      lost += refreshed.lost;
    }
    return { sent, lost };
  };
  const ours = await lostBy(apps.ours);
  const base = await lostBy(apps.base);
  const note = `of ${ours.sent}; by the bare app ${base.lost} of ${base.sent}`;
  const name = "commands lost when Slack renews the connections of Socket Mode";
  return [atMost({ name, unit: "commands", ours: ours.lost, note }, 0)];
}
