import { createApi } from "../../src/api/client.ts";
import { sendTo } from "../../src/platform/http/send.ts";
import { stillClock } from "../support/test-clock.ts";

/** A service that answers nothing until it is told to. */
export function held() {
  const pending: { request: Request; answer: (body: string, status?: number) => void }[] = [];
  const clock = stillClock();
  const api = createApi({
    baseUrl: "http://service.test",
    clock,
    random: () => 0,
    send: sendTo((request) => {
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      request.signal.addEventListener("abort", () => reject(request.signal.reason));
      pending.push({ request, answer: (body, status = 200) => resolve(new Response(body, { status })) });
      return promise;
    }),
  });
  return {
    api,
    clock,
    pending,
    answerAll: (body: string) => {
      for (const { answer } of pending) answer(body);
    },
  };
}
