import type { Mutant } from "./mutants.ts";

const tests = ["test/flows/connecting/whose-workload.test.ts"];

/** Each lets something act on, or blame, the workload of the same name that another account has. */
export const whoseMutants: readonly Mutant[] = [
  {
    bug: "a button acts for the account of whoever clicks",
    file: "src/bot/slack/receive/click.ts",
    text: "...(account !== undefined && { account })",
    becomes: "",
    tests,
  },
  {
    bug: "the buttons of an answer don't say for which account they act",
    file: "src/bot/workflow/answer.ts",
    text: "messageFor(context.account.username, answer)",
    becomes: "answer",
    tests,
  },
  {
    bug: "the menu beside a workload on Home acts for the account that the person has by then",
    file: "src/bot/views/kit/post.ts",
    text: 'block.type === "section" && block.accessory?.type === "overflow"',
    becomes: 'block.type === "section" && block.accessory?.type === "overflow" && block.accessory.options.length === 0',
    tests,
  },
  {
    bug: "an Undo acts with the account of whoever clicks",
    file: "src/bot/workflow/repeat/redo.ts",
    text: "account: change.account.username",
    becomes: "",
    tests,
  },
  {
    bug: "an Undo changes a workload that was created again",
    file: "src/bot/workflow/propose.ts",
    text: "  refuseReplaced(interaction.about, changes);\n",
    becomes: "",
    tests,
  },
  {
    bug: "a form forgets for which account it was filled",
    file: "src/bot/slack/modals/fill-form.ts",
    text: "origin: { ...origin, account: account.username }",
    becomes: "origin",
    tests,
  },
  {
    bug: "an alert tells what happened to the workload of another account before it",
    file: "src/bot/workflow/watching/alert-post.ts",
    text: "workload: { name, account }",
    becomes: "workload: { name, account: undefined }",
    tests,
  },
  {
    bug: "a followed log goes on with the account that its reader has by then",
    file: "src/bot/workflow/log-follow.ts",
    text: "      account: context.account.username,\n",
    becomes: "",
    tests,
  },
  {
    bug: "another person's own account is used for whoever clicks in what it showed",
    file: "src/bot/accounts/resolve.ts",
    text: "  if (seeker.account !== undefined) return shownAccount(found, { ...rules, shown: seeker.account });\n",
    becomes: "",
    tests: ["test/bot/accounts/resolve.test.ts"],
  },
  {
    bug: "a digest tells of the workload of another account",
    file: "src/bot/workflow/watching/digest.ts",
    text: "event.account !== account || !isMeant(workload)",
    becomes: "!isMeant(workload)",
    tests: ["test/flows/watching/digest.test.ts"],
  },
];
