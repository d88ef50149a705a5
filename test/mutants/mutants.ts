/** A plausible bug of one line. One of the named test files has to fail with it. */
export type Mutant = {
  readonly bug: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly text: string;
  readonly becomes: string;
  readonly tests: readonly string[];
};

const forms = ["test/flows/who-sends-a-form.test.ts"];
const people = ["test/flows/who-slack-knows.test.ts"];
const approvals = ["test/flows/approvals.test.ts"];

export const mutants: readonly Mutant[] = [
  {
    bug: "a reject form counts for the person who opened it",
    file: "src/slack/submission.ts",
    text: "    // Whoever sends the form is who decides, whatever its metadata say.\n    place: { ...place, userId: sent.user.id },",
    becomes: "    place,",
    tests: forms,
  },
  {
    bug: "an account is linked for the person who opened the connect form",
    file: "src/slack/submission.ts",
    text: "    viewId: sent.view.id,\n    place: { ...place, userId: sent.user.id },",
    becomes: "    viewId: sent.view.id,\n    place,",
    tests: forms,
  },
  {
    bug: "a form of a verb asks for the person who opened it",
    file: "src/slack/form-submission.ts",
    text: "const place = { ...metadata.place, userId };",
    becomes: "const place = { ...metadata.place };",
    tests: forms,
  },
  {
    bug: "a person whose workspace Slack does not tell is a member",
    file: "src/slack/people.ts",
    text: "user.is_stranger === true || user.team_id === undefined) return true;",
    becomes: "user.is_stranger === true || user.team_id === undefined) return user.is_stranger === true;",
    tests: people,
  },
  {
    bug: "deactivated people count among those who could approve",
    file: "src/slack/approvers.ts",
    text: 'if (standing === "bot" || standing === "deactivated") return false;',
    becomes: 'if (standing === "bot") return false;',
    tests: people,
  },
  {
    bug: "a deactivated person approves",
    file: "src/slack/people.ts",
    text: 'if (user.deleted === true) return "deactivated";',
    becomes: "",
    tests: people,
  },
  {
    bug: "people approve their own requests",
    file: "src/slack/approvers.ts",
    text: "userId === requesterId && !terms.selfApproval",
    becomes: "userId === requesterId && terms.selfApproval",
    tests: approvals,
  },
  {
    bug: "everybody cancels everybody's requests",
    file: "src/slack/decide.ts",
    text: 'if (userId !== change.requester.userId) return answer({ kind: "not-yours", change });',
    becomes: "",
    tests: approvals,
  },
  {
    bug: "a change that could not be claimed is sent",
    file: "src/changes/execute.ts",
    text: 'return claim === "claimed" ? send(checked, deps) : { kind: claim };',
    becomes: "return send(checked, deps);",
    tests: ["test/changes/execute.test.ts"],
  },
];
