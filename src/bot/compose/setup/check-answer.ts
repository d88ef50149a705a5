import { type Judged, worstOf } from "../../health/finding.ts";
import { type Asker, SetupError } from "./asker.ts";

type Checked<Answer> = {
  readonly asker: Asker;
  readonly what: string;
  /** Called again after a failed check; then without what was set or given. */
  readonly ask: (isAgain: boolean) => Promise<Answer>;
  readonly check: (answer: Answer) => Promise<readonly Judged[]>;
  readonly skipsChecks: boolean;
};

/** Asks until the check is content, or the person goes on without it. Without a terminal, a failed check ends the set-up. */
export async function checkedAnswer<Answer>(parts: Checked<Answer>): Promise<Answer> {
  const { asker, what, ask, check, skipsChecks } = parts;
  let answer = await ask(false);
  if (skipsChecks) return answer;
  for (;;) {
    const current = answer;
    const findings = await asker.during(`Checking ${what}`, () => check(current));
    for (const finding of findings) asker.show.judged(finding);
    if (worstOf(findings) !== "broken") return answer;
    if (!asker.isInteractive)
      throw new SetupError("Nothing was written. Correct the settings above, or use --skip-checks.");
    const next = await asker.choose({
      flag: "skip-checks",
      message: "What now?",
      current: "again",
      options: [
        { value: "again", label: "Enter it again" },
        { value: "retry", label: "Check again", hint: "after you have changed something elsewhere" },
        { value: "anyway", label: "Go on anyway", hint: "Gantry won't work until it is corrected" },
      ],
    });
    if (next === "anyway") return answer;
    if (next === "again") answer = await ask(true);
  }
}
