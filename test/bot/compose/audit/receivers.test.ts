import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../../src/bot/accounts/seal.ts";
import { auditReceivers, createHandingOver } from "../../../../src/bot/compose/audit/receivers.ts";
import { openStore } from "../../../../src/bot/store/open-store.ts";
import { openSqlite } from "../../../../src/platform/database/sqlite.ts";
import type { Tables } from "../../../../src/bot/store/schema/tables.ts";
import { machineClock } from "../../../../src/platform/clock.ts";
import { directNetwork } from "../../../../src/platform/http/network.ts";
import { event } from "../../store/contract/bench.ts";
import { unawaited } from "../../../../src/platform/waiting.ts";
import { dueLoop } from "../../../support/due-loop.ts";
import { testClock } from "../../../support/test-clock.ts";
import { until } from "../../../support/until.ts";

const SECRET = "a secret of more than 24 letters";
const HOUR_MS = 60 * 60_000;

type Got = { readonly id: string; readonly isSigned: boolean; readonly results: readonly string[] };

/** A receiver that takes what it gets, unless it is told to answer otherwise. */
async function receiver() {
  const got: Got[] = [];
  const elsewhere: string[] = [];
  let status = 204;
  let next: number | undefined;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== "/audit") {
      elsewhere.push(request.method ?? "");
      return void response.end();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // of a request without an encoding
    const body = Buffer.concat(chunks).toString("utf8");
    const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature } = request.headers;
    const expected = createHmac("sha256", SECRET)
      .update(`${String(id)}.${String(timestamp)}.${body}`)
      .digest("base64");
    const { events } = JSON.parse(body) as { events: { result: string }[] }; // as documented
    const answer = next ?? status;
    next = undefined;
    if (answer < 300) {
      got.push({
        id: String(id),
        isSigned: signature === `v1,${expected}`,
        results: events.map(({ result }) => result),
      });
    }
    response.writeHead(answer, { location: "/elsewhere" }).end();
  };
  const server = createServer((request, response) => unawaited(take(request, response)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/audit`,
    got,
    /** Requests to another path, where its redirects lead. */
    elsewhere,
    answer(code: number): void {
      status = code;
    },
    /** Only the next request gets this answer. */
    answerOnce: (code: number): void => void (next = code),
  };
}

async function bot(url: string, db = openSqlite<Tables>(":memory:"), sealer = createSealer(readKeyring(newKey()))) {
  const clock = testClock(machineClock.now());
  const printed: string[] = [];
  const logged: string[] = [];
  const log = pino({ level: "info" }, { write: (line) => void logged.push((JSON.parse(line) as { msg: string }).msg) }); // as pino writes it
  const where = { kind: "shared", db, flavour: "sqlite" } as const; // literal kinds
  const store = await openStore({ ...where, replicaId: "a", log, sealer, clock });
  const receivers = auditReceivers(
    { webhook: { url, secret: SECRET }, toStdout: true },
    { fetch: directNetwork.fetch, clock: machineClock, print: async (text) => void printed.push(text) },
  );
  const handing = createHandingOver({ store, receivers, log });
  const { begin, lanes } = dueLoop({ store, work: { audit: handing.work }, log });
  const stop = async (): Promise<void> => {
    handing.stop();
    await lanes.drain();
  };
  onTestFinished(stop);
  const happens = async (from: number, to: number): Promise<void> => {
    for (let at = from; at <= to; at += 1) await store.addEvent(event("bound", { result: `event ${at}` }));
    await store.sealHistory();
  };
  await store.addReceivers(receivers.map(({ name }) => name));
  return {
    begin,
    stop,
    printed,
    logged,
    happens,
    later: clock.passMs,
    failures: async () =>
      (
        await db
          .selectFrom("due")
          .select("attempts")
          .where("key", "=", "webhook")
          .where("token", "is", null)
          .executeTakeFirst()
      )?.attempts ?? 0,
    fresh: () => bot(url, db, sealer),
  };
}

function named(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => `event ${from + at}`);
}

test("a receiver gets everything in order and signed, and so does stdout", async () => {
  const to = await receiver();
  const from = await bot(to.url);
  await from.happens(1, 150);
  await until(async () => {
    await from.begin();
    return to.got.flatMap(({ results }) => results).length === 150;
  });
  await until(() => from.printed.join("").split("\n").length === 151);

  expect(to.got.flatMap(({ results }) => results)).toEqual(named(1, 150));
  expect(to.got.map(({ isSigned }) => isSigned)).toEqual([true, true]);
  const lines = from.printed.join("").trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { result: string }).result)).toEqual(named(1, 150)); // of ours
});

test("a receiver that is away for two days loses nothing, and nobody waits for it", async () => {
  const to = await receiver();
  const from = await bot(to.url);
  to.answer(503);
  for (let hour = 0; hour < 48; hour += 8) {
    await from.happens(hour * 10 + 1, hour * 10 + 80);
    await until(async () => {
      await from.begin();
      return (await from.failures()) > hour / 8;
    });
    from.later(8 * HOUR_MS);
  }
  expect(to.got).toEqual([]);
  // It comes back, and another replica goes on.
  to.answer(200);
  await from.stop();
  from.later(HOUR_MS);
  const next = await from.fresh();
  next.later(49 * HOUR_MS);
  await until(async () => {
    await next.begin();
    return to.got.flatMap(({ results }) => results).length >= 480;
  });

  expect(to.got.flatMap(({ results }) => results)).toEqual(named(1, 480));
  expect(new Set(to.got.map(({ id }) => id)).size).toBe(to.got.length);
  await until(async () => (await next.failures()) === 0);
});

test("a redirect isn't followed, whichever it is: elsewhere nobody has the secret", async () => {
  const to = await receiver();
  const from = await bot(to.url);
  await from.happens(1, 1);
  for (const [at, code] of [301, 302, 303, 307, 308].entries()) {
    to.answer(code);
    await until(async () => {
      await from.begin();
      return (await from.failures()) > at || to.elsewhere.length > 0;
    });
    from.later(8 * HOUR_MS);
  }

  expect(to.elsewhere).toEqual([]);
  expect(to.got).toEqual([]);
  to.answer(200);
  await until(async () => {
    await from.begin();
    return to.got.length === 1;
  });
});

test("each outage of a receiver is logged once, with its end, also when it takes one batch in between", async () => {
  const to = await receiver();
  const from = await bot(to.url);
  await from.happens(1, 150);
  to.answer(503);
  await until(async () => {
    await from.begin();
    return (await from.failures()) === 1;
  });
  from.later(HOUR_MS);
  to.answerOnce(200);
  await until(async () => {
    await from.begin();
    return to.got.length === 1 && (await from.failures()) === 1;
  });

  expect(from.logged).toEqual([
    "history isn't taken; it is sent again until it is",
    "history is taken again",
    "history isn't taken; it is sent again until it is",
  ]);
});

test("a stop doesn't wait for a receiver that says nothing", async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => silent.close().closeAllConnections());
  let isAsked = false;
  silent.on("request", () => {
    isAsked = true;
  });
  const from = await bot(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`); // it listens on a port
  await from.happens(1, 3);
  await until(async () => {
    await from.begin();
    return isAsked;
  });
  await from.stop();

  expect(await from.failures()).toBe(0);
});
