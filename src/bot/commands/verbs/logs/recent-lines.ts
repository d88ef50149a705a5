import { UserError } from "../../../errors.ts";
import type { ExcerptRequest } from "../../../logs/excerpt.ts";
import { linesSince } from "../../../logs/entries.ts";
import type { VerbContext } from "../../grammar/verb.ts";
import { type Since, sinceMoment } from "../history/since.ts";

/** The lines of `--since`, by the times in them: the workload API has none. Throws a `UserError` when there are none. */
export function recentLines(
  lines: ExcerptRequest["lines"],
  since: Since,
  { ask, now }: Pick<VerbContext, "ask" | "now">,
): ExcerptRequest["lines"] {
  const { since: _since, ...others } = ask.args;
  const suggestions = [{ label: "Newest lines", ask: { ...ask, args: others } }];
  const recent = linesSince(
    lines.map(({ instance, text }) => ({ text, ...(instance !== undefined && { instance }) })),
    sinceMoment(since, now).getTime(),
  );
  if (recent === undefined) {
    throw new UserError("These log lines have no times, so `--since` can't filter them.", {
      next: "Use `-n 50` for the newest 50 lines.",
      suggestions,
    });
  }
  if (recent.length > 0 || lines.length === 0) return recent;
  throw new UserError("The log has no lines that recent.", {
    next: "Use `-n 50` for the newest 50 lines.",
    suggestions,
  });
}
