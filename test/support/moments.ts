import { setImmediate as nextTurn } from "node:timers/promises";
import { openLocalSlack } from "../../src/bot/compose/stand-ins/local-slack.ts";
import { listen } from "../../src/platform/http/listen.ts";
import { operationOf } from "./operation-of.ts";
import { testClock } from "./test-clock.ts";
import { type World, world, type WorldOptions } from "./world.ts";
import { transportOf } from "./world-bot.ts";

/** One call of the bot, to Slack or to the workload API. */
export type Call = {
  readonly method: string;
  /** A channel, or the conversation with a person. */
  readonly place: string;
  /** What it says, as it was sent. */
  readonly text: string;
  readonly atMs: number;
  /** Slack took it. */
  isTaken?: boolean;
};

export type Moments = {
  readonly calls: readonly Call[];
  /**
   * Something happens while this call is on its way, with those that the bot makes beside it. Resolves to their number by then: what they
   * say was asked for before.
   */
  readonly during: (at: number, happens: () => Promise<void>) => Promise<number>;
  readonly open: (options: WorldOptions) => Promise<World>;
};

/** By then, what the bot does beside a call waits, too. */
const QUIET_TURNS = 60;

/** Each call of a bot to Slack and to the workload API, in order, as moments at which something can happen. */
export async function moments(): Promise<Moments> {
  const clock = testClock();
  const calls: Call[] = [];
  let planned:
    | { readonly at: number; readonly happens: () => Promise<void>; readonly made: (number: number) => void }
    | undefined;
  let botPort = 0;
  const slack = await openLocalSlack({
    transport: transportOf({}),
    host: "127.0.0.1",
    port: 0,
    command: "/gantry",
    botPort: () => botPort,
    clock,
  });
  const noted = async (call: Call): Promise<void> => {
    calls.push(call);
    if (planned?.at !== calls.length - 1) return;
    const { happens, made } = planned;
    for (let known = 0, quiet = 0; quiet < QUIET_TURNS; known = calls.length) {
      quiet = known === calls.length ? quiet + 1 : 0;
      await nextTurn();
    }
    await happens();
    made(calls.length);
  };
  const door = await listen(
    async (request) => {
      const text = await request.clone().text();
      const asked = new URLSearchParams(text);
      const method = new URL(request.url).pathname.replace("/api/", "");
      const place = (asked.get("channel") ?? "").replace(/^U0/u, "D0BOT0");
      const call: Call = { method, place, text: [...asked.values()].join(" "), atMs: clock.nowMs() };
      await noted(call);
      const answer = await slack.playground.fetch(request);
      call.isTaken = answer.ok && (await answer.clone().text()).startsWith('{"ok":true');
      return answer;
    },
    { host: "127.0.0.1", port: 0, variable: "PORT", onTrouble: () => undefined },
  );
  const close = async (): Promise<void> => {
    await door.close();
    await slack.close();
  };
  const access = { ...slack.access, apiUrl: `http://127.0.0.1:${door.port}/api/` };
  return {
    calls,
    during(at, happens) {
      const { promise, resolve: made } = Promise.withResolvers<number>();
      planned = { at, happens, made };
      return promise;
    },
    async open(options) {
      const town = await world({
        ...options,
        clock,
        slack: { ...slack, access },
        via: async (request, send) => {
          await noted({ method: operationOf(request), place: "", text: request.url, atMs: clock.nowMs() });
          return send(request);
        },
      });
      botPort = Number(new URL(town.botUrl()).port);
      const closeAll = async (): Promise<void> => {
        await town.close();
        await close();
      };
      return { ...town, close: closeAll, [Symbol.asyncDispose]: closeAll };
    },
  };
}
