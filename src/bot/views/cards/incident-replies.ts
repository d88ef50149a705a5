import type { Redacted } from "../../../api/redacted.ts";
import type { Incident, Taken } from "../../watch/incident.ts";
import { preformatted, section } from "../kit/blocks.ts";
import { type Inline, moment, person, strong, words } from "../kit/inline.ts";
import { newestPage } from "../kit/log-text.ts";
import { type Post, postOf } from "../kit/post.ts";
import { visibleLines } from "../kit/text.ts";
import { someHeadline } from "./incident-several.ts";
import { API, headlineOver, incidentWords, openWords } from "./incident-words.ts";

/** The first reply of the thread: the last log lines. Named, because the card may list more later. */
export function lastLinesReply(name: string, lines: readonly Redacted[]): Post | undefined {
  if (lines.length === 0) return undefined;
  const { text } = newestPage(lines.map(visibleLines));
  return postOf([section([words("Last lines of "), strong(name, 255)]), preformatted(text)]);
}

/** Mentions the person whom it was handed to: updating a card notifies nobody. */
export function handedReply({ userId, name, from }: Taken): Post {
  const by = from?.name ?? "Somebody";
  const line = [words("👋 "), person(userId), words(`, ${by} handed this incident over to you.`, 160)];
  return postOf([section(line)], { [userId]: `@${name}` });
}

/** One line for the thread: updating a card notifies nobody. */
export function newsReply(incidents: readonly Incident[], news: "over" | "again"): Post {
  const [only, ...others] = incidents;
  if (only === undefined) return postOf([section("Over")]);
  // A reply is never redrawn, so it says what happened. The card shows the current status.
  if (news === "again") {
    const doesNotAnswer = openWords(only) === incidentWords["api-away"].one;
    const api = `${API} ${doesNotAnswer ? "stopped answering" : openWords(only)} again`;
    const what = only.name === undefined ? api : `${only.name} failed again`;
    return postOf([section([words("⚠️ "), strong(what, 300), ...oftenWords(only)])]);
  }
  return postOf([section([others.length === 0 ? headlineOver(only) : someHeadline(incidents, [])])]);
}

/** " · 3 times since 14:02"; empty the first time. */
function oftenWords({ times, openedAt }: Incident): Inline[] {
  return times > 1 ? [moment(openedAt.toISOString(), ` · ${times} times since `)] : [];
}
