export type PolicyProblem = {
  /** Counted from 1. */
  readonly line: number;
  readonly sentence: string;
};

/** What is wrong with a policy file: file, line and a sentence for each problem, all of them at once. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  readonly problems: readonly PolicyProblem[];

  constructor(file: string, problems: readonly PolicyProblem[]) {
    const lines = problems.map(({ line, sentence }) => `- ${file}:${line}: ${sentence}`);
    super(`The policy cannot be used as it is written:\n${lines.join("\n")}`);
    this.problems = problems;
  }
}
