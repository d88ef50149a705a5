import { createApi } from "../../src/api/client.ts";
import { sendTo } from "../../src/platform/http/send.ts";

/** A service that answers nothing until it is told to. */
export function held() {
  const pending: { request: Request; answer: (body: string, status?: number) => void }[] = [];
  const api = createApi({
    baseUrl: "http://service.test",
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
    pending,
    answerAll: (body: string) => {
      for (const { answer } of pending) answer(body);
    },
  };
}
