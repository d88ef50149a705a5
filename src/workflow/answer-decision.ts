import { decisionAnswer, type DecisionAnswer } from "../views/messages/decision-answer.ts";
import type { Post } from "../views/kit/message.ts";
import type { Origin } from "./origin.ts";
import type { Shell } from "./shell.ts";

/** For the eyes of who clicked or typed; beside the card, which is drawn from state. */
export function answerDecision(shell: Shell, answer: DecisionAnswer, origin: Origin): Promise<void> {
  return shell.poster.tell(decisionPost(shell, answer), origin);
}

export function decisionPost({ settings }: Pick<Shell, "settings">, answer: DecisionAnswer): Post {
  const { command, region: defaultRegion } = settings;
  return decisionAnswer({ answer, command, defaultRegion });
}
