import type { JsonObject } from "../json.ts";
import { type RuleId, rules } from "./rules.ts";

/** The reason of a refusal: the rule, its page, and a sentence about this case. */
export type Refusal = { readonly rule: RuleId; readonly link: string; readonly sentence: string };

export type Problem = { readonly rule: RuleId; readonly at: string; readonly message: string };

/** Thrown for what Slack would refuse. `error` is Slack's code; `problems` become its response_metadata. */
export class Refused extends Error {
  readonly error: string;
  readonly problems: readonly Problem[];
  readonly extra: JsonObject;

  constructor(error: string, problems: readonly Problem[], extra: JsonObject = {}) {
    super(error);
    this.name = "Refused";
    this.error = error;
    this.problems = problems;
    this.extra = extra;
  }
}

/** Refuses with one problem and without a JSON pointer. */
export function refuse(error: string, rule: RuleId, message: string): never {
  throw new Refused(error, [{ rule, at: "", message }]);
}

export function refusalOf(refused: Refused): Refusal {
  const problem = refused.problems[0];
  const rule = problem?.rule ?? "method.arguments";
  const more = refused.problems.length > 1 ? ` (and ${refused.problems.length - 1} more)` : "";
  const where = problem === undefined || problem.at === "" ? "" : ` at ${problem.at}`;
  return {
    rule,
    link: rules[rule].link,
    sentence: `${refused.error}: ${problem?.message ?? refused.message}${where}${more}. Rule: ${rules[rule].says}.`,
  };
}

/** The body that Slack sends: `{ok: false, error, response_metadata: {messages}}`. */
export function errorBody(refused: Refused): JsonObject {
  const located = refused.problems.filter((problem) => problem.at !== "");
  const messages = located.map((problem) => `[ERROR] ${problem.message} [json-pointer:${problem.at}]`);
  const metadata = messages.length === 0 ? {} : { response_metadata: { messages } };
  return { ok: false, error: refused.error, ...refused.extra, ...metadata };
}
