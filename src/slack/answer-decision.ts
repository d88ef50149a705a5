import { decisionAnswer, type DecisionAnswer } from "../views/decision-answer.ts";
import type { Place } from "./place.ts";
import type { Shell } from "./shell.ts";

/** For the eyes of who clicked or typed; beside the card, which is drawn from state. */
export function answerDecision({ poster, settings }: Shell, answer: DecisionAnswer, place: Place): Promise<void> {
  const { command, region: defaultRegion } = settings;
  return poster.tell(decisionAnswer({ answer, command, defaultRegion }), place);
}
