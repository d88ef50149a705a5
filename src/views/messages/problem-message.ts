import type { Problem } from "../../api/problem.ts";
import { context, section } from "../kit/blocks.ts";
import { sentence } from "../kit/inline.ts";
import type { Message } from "../kit/message.ts";
import { post } from "../kit/post.ts";

/** The service did not do what was asked: what happened and why, what to do, and the reference that stands in the log. */
export function problemMessage(
  problem: Pick<Problem, "sentence" | "next" | "status">,
  { reference }: { readonly reference: string },
): Message {
  const status = problem.status === undefined ? "" : `The service answered ${problem.status}. `;
  return post(`${problem.sentence} ${problem.next}`, [
    section([{ type: "text", text: "⚠️ " }, ...sentence(problem.sentence)], problem.next),
    context(`${status}Reference ${reference}`),
  ]);
}
