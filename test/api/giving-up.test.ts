import { expect, test } from "vitest";
import { stillClock } from "../support/test-clock.ts";
import { apiOver, calls, dana, problemOf } from "./calls.ts";
import { held } from "./held.ts";
import { until } from "../support/until.ts";

test("a write that is given up on the way may have been done", async () => {
  const { api, pending } = held();
  const control = new AbortController();
  const given = problemOf(api.as(dana), calls.updateService, { signal: control.signal });
  await until(() => pending.length > 0);

  control.abort();

  expect(await given).toMatchObject({ kind: "aborted", maybeSent: true });
  expect(pending[0]?.request.signal.aborted).toBe(true);
});

test("a call that is given up before it begins is not sent", async () => {
  const { api, pending } = held();

  const problem = await problemOf(api.as(dana), calls.updateService, { signal: AbortSignal.abort() });

  expect(problem).toMatchObject({ kind: "aborted", maybeSent: false });
  expect(problem.next).toBe("Nothing was sent. Try again.");
  expect(pending).toHaveLength(0);
});

test("a write that is given up in the moment it begins is not sent, and that is what is said", async () => {
  const sent: Request[] = [];
  const deaf = apiOver((request) => {
    sent.push(request);
    return Promise.resolve(new Response("{}"));
  });
  const control = new AbortController();
  const given = problemOf(deaf, calls.stopService, { signal: control.signal });

  control.abort();

  expect(await given).toMatchObject({ kind: "aborted", maybeSent: false });
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(sent).toEqual([]);
});

test("giving up ends the pause before a retry", async () => {
  const control = new AbortController();
  const clock = stillClock();
  const { promise: paused, resolve } = Promise.withResolvers<void>();
  let sent = 0;
  const api = apiOver(
    () => {
      sent += 1;
      return Promise.resolve(new Response("", { status: 503 }));
    },
    {
      clock: {
        ...clock,
        sleep(ms, signal) {
          resolve();
          return clock.sleep(ms, signal);
        },
      },
    },
  );
  const given = problemOf(api, calls.listJobs, { signal: control.signal });
  await paused;

  control.abort();

  expect((await given).kind).toBe("aborted");
  await clock.passMs(60_000);
  expect(sent).toBe(1);
});
