import { answerShapes } from "../../../../src/api/answers.ts";
import type { GuardedAccountApi, SendOptions } from "../../../../src/api/client.ts";
import type { Redacted } from "../../../../src/api/redacted.ts";
import type { Call } from "../../../../src/api/operations.ts";
import { Problem } from "../../../../src/api/problem.ts";

type Answerer = (call: Call, options: SendOptions<Redacted>) => unknown;

/** An account's API that answers each call as the test says, and keeps what it was sent. */
export function scripted(answer: Answerer): { api: GuardedAccountApi; sent: string[] } {
  const sent: string[] = [];
  const api: GuardedAccountApi = {
    async send(call, options = {}) {
      sent.push(call.op);
      const parsed: unknown = answerShapes[call.op].parse(answer(call as Call, options)); // a call of one operation is a call
      return parsed as never; // the shape of this operation, which the compiler cannot follow here
    },
  };
  return { api, sent };
}

/** Answers one read after the other from a list; the last one stays. A Problem is thrown. */
export function inTurn(...answers: readonly unknown[]): () => unknown {
  let at = 0;
  return () => {
    const answer = answers[Math.min(at, answers.length - 1)];
    at += 1;
    if (answer instanceof Problem) throw answer;
    return answer;
  };
}

type Details = { readonly maybeSent: boolean; readonly status?: number; readonly op?: Call["op"] };

export function problem({ maybeSent, status, op = "updateService" }: Details): Problem {
  return new Problem({
    kind: status === undefined ? "timeout" : "refused",
    op,
    maybeSent,
    sentence: "The service did not answer in time.",
    next: "Try again.",
    ...(status !== undefined && { status }),
  });
}

export const gone = problem({ maybeSent: false, status: 404, op: "getService" });
export const unreadable = problem({ maybeSent: true, op: "getService" });
