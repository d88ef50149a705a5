import { expect, test } from "vitest";
import { createApi } from "../../src/api/client.ts";
import { sendTo } from "../../src/platform/http/send.ts";
import { calls, dana, problemOf, still } from "./calls.ts";

/** Dana's API over a service that is always there, with the order in which things happened. */
function noted() {
  const order: string[] = [];
  const api = createApi({
    baseUrl: "http://service.test",
    ...still,
    send: sendTo(({ method }) => {
      order.push(method);
      return Promise.resolve(new Response(method === "GET" ? '{"name":"web"}' : "{}"));
    }),
  });
  const asking = (answer: boolean) => () => {
    order.push("may it leave?");
    // What would run before the request, if anything were waited for in between.
    queueMicrotask(() => order.push("later"));
    return answer;
  };
  return { api, order, asking };
}

test("a write that may not leave any more is not sent, not counted, and was not done", async () => {
  const { api, order, asking } = noted();

  const problem = await problemOf(api.as(dana), calls.stopService, { mayLeave: asking(false) });

  expect(problem).toMatchObject({ kind: "aborted", maybeSent: false });
  expect(problem.message).toMatchInlineSnapshot(
    `"The request took too long to prepare, and its time to run was over. Nothing was sent. Try again."`,
  );
  expect(order).toEqual(["may it leave?", "later"]);
  expect(api.callsToday("dana").count).toBe(0);
});

test("a write that may leave is asked about once, with nothing between the answer and the request", async () => {
  const { api, order, asking } = noted();

  await api.as(dana).send(calls.stopService, { mayLeave: asking(true) });

  expect(order.slice(0, 2)).toEqual(["may it leave?", "PUT"]);
  expect(order.filter((each) => each === "may it leave?")).toHaveLength(1);
  expect(api.callsToday("dana").count).toBe(1);
});

test("a read is not asked about", async () => {
  const { api, order, asking } = noted();

  await api.as(dana).send(calls.getService, { mayLeave: asking(false) });

  expect(order).toEqual(["GET"]);
});
