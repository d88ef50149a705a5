import { dockerMutants } from "./docker-mutants.ts";
import { kubernetesMutants } from "./kubernetes-mutants.ts";
import { socketMutants } from "./socket-mutants.ts";

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
const people = ["test/flows/unknown-and-deactivated.test.ts"];
const approvals = ["test/flows/approvals.test.ts"];

export const mutants: readonly Mutant[] = [
  {
    bug: "a reject form counts for the person who opened it",
    file: "src/slack/receive/submission.ts",
    text: "    // The person who sends the form decides, whatever its metadata say.\n    origin: { ...origin, userId: sent.user.id },",
    becomes: "    origin,",
    tests: forms,
  },
  {
    bug: "an account is linked for the person who opened the connect form",
    file: "src/slack/receive/submission.ts",
    text: "    viewId: sent.view.id,\n    origin: { ...origin, userId: sent.user.id },",
    becomes: "    viewId: sent.view.id,\n    origin,",
    tests: forms,
  },
  {
    bug: "a form of a verb asks for the person who opened it",
    file: "src/slack/modals/form-submission.ts",
    text: "const origin = { ...metadata.origin, userId };",
    becomes: "const origin = { ...metadata.origin };",
    tests: forms,
  },
  {
    bug: "a person whose workspace Slack does not tell is a member",
    file: "src/slack/directory/people.ts",
    text: "user.is_stranger === true || user.team_id === undefined) return true;",
    becomes: "user.is_stranger === true || user.team_id === undefined) return user.is_stranger === true;",
    tests: people,
  },
  {
    bug: "deactivated people count among those who could approve",
    file: "src/workflow/access/approvers.ts",
    text: 'if (standing === "bot" || standing === "deactivated") return false;',
    becomes: 'if (standing === "bot") return false;',
    tests: people,
  },
  {
    bug: "a deactivated person approves",
    file: "src/slack/directory/people.ts",
    text: 'if (user.deleted === true) return "deactivated";',
    becomes: "",
    tests: people,
  },
  {
    bug: "people approve their own requests",
    file: "src/workflow/access/approvers.ts",
    text: "userId === requesterId && !terms.selfApproval",
    becomes: "userId === requesterId && terms.selfApproval",
    tests: approvals,
  },
  {
    bug: "everybody cancels everybody's requests",
    file: "src/workflow/decide.ts",
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
  {
    bug: "a request leaves after the machine slept",
    file: "src/workflow/send.ts",
    text: "!signal.aborted && sinceClaimMs() < deps.store.sendWithinMs",
    becomes: "sinceClaimMs() > -1",
    tests: ["test/flows/suspended-before-sending.test.ts"],
  },
  {
    bug: "a step is made from any state",
    file: "src/store/step.ts",
    text: 'where("state", "in", step.from), ',
    becomes: "",
    tests: ["test/workflow/lifecycle.test.ts"],
  },
  {
    bug: "one person's slow commands take every place of a lane",
    file: "src/workflow/inbox/lane-queue.ts",
    text: "if (owner !== undefined && ofOwner >= limits.perOwner && !isAborted) continue;",
    becomes: "",
    tests: ["test/workflow/inbox/scheduler.test.ts"],
  },
  {
    bug: "a required reason is not asked for",
    file: "src/workflow/propose.ts",
    text: "if (needsReason && ask.reason === undefined) {",
    becomes: 'if (needsReason && ask.reason === undefined && command === "") {',
    tests: ["test/flows/required-reason.test.ts"],
  },
  {
    bug: "a change of another workspace is decided",
    file: "src/workflow/access/find-visible-change.ts",
    text: "const change = found?.teamId === origin.teamId ? found : undefined;",
    becomes: "const change = found;",
    tests: ["test/flows/other-team.test.ts"],
  },
  {
    bug: "an approved change runs with fewer approvals than the policy now asks for",
    file: "src/workflow/access/clear-to-run.ts",
    text: "if (counting.length >= terms.votes) return",
    becomes: "if (counting.length >= 0) return",
    tests: ["test/flows/policy-changed-while-pending.test.ts"],
  },
  {
    bug: "a job's instances are offered without judging",
    file: "src/slack/receive/suggestion.ts",
    text: 'if (!(await maySee({ kind: "job", region: settings.jobsRegion, name }, { permissions, settings }))) return [];',
    becomes: "",
    tests: ["test/flows/hidden-workloads.test.ts"],
  },
  {
    bug: "a click in a list of requests counts as one on an outdated card",
    file: "src/slack/receive/click.ts",
    text: "container.is_ephemeral === true || action.block_id.startsWith(BESIDE_CARD);",
    becomes: "container.is_ephemeral === true;",
    tests: ["test/flows/pending.test.ts"],
  },
  {
    bug: "waiting changes are shown to people who may not see them",
    file: "src/workflow/access/records.ts",
    text: "return all.filter((_, at) => known[at]);",
    becomes: "return all.filter((_, at) => known[at] !== undefined);",
    tests: ["test/flows/hidden-workloads.test.ts"],
  },
  {
    bug: "a service that the API calls running is healthy although the API says why it isn't well",
    file: "src/api/workload-status.ts",
    text: 'level: level === "healthy" && message !== undefined ? "busy" : level,',
    becomes: "level,",
    tests: ["test/api/workload-status.test.ts"],
  },
  {
    bug: "a count of restarts over weeks makes a healthy service look like a crash loop",
    file: "src/api/workload-status.ts",
    text: 'const isUnwell = level === "failing" || message !== undefined;',
    becomes: "const isUnwell = true;",
    tests: ["test/api/workload-status.test.ts"],
  },
  {
    bug: "a card says twice that nothing was changed",
    file: "src/api/failures.ts",
    text: "maybeSent ? { told: detail, advice: undefined } : partsOf(detail);",
    becomes: "{ told: detail, advice: undefined };",
    tests: ["test/flows/adopted-workloads.test.ts"],
  },
  {
    bug: "a job forgets how its last attempt ended when the engine restarts",
    file: "src/service/workloads/state/job-store.ts",
    text: "lastState: lastStateFrom(row.last_state),",
    becomes: "lastState: undefined,",
    tests: ["test/service/engines/process/job-records.test.ts"],
  },
  {
    bug: "half a secret at the end of a cut line is shown",
    file: "src/logs/excerpt.ts",
    text: "const MARGIN = 600;",
    becomes: "const MARGIN = 0;",
    tests: ["test/logs/excerpt.test.ts"],
  },
  {
    bug: "a change is undone a second time from a card that was not redrawn",
    file: "src/workflow/repeat/redo.ts",
    text: "const earlier = undoOf === undefined || isStored ? undefined : await store.find({ undoOf });",
    becomes: 'const earlier = change.id === "" ? change : undefined;',
    tests: ["test/flows/undo-once.test.ts"],
  },
  {
    bug: "somebody is asked to approve what the workload API said that it would refuse",
    file: "src/commands/lookup/authorize.ts",
    text: "if (why !== undefined && change.diff.length > 0)",
    becomes: 'if (why === "")',
    tests: ["test/flows/owned-workloads.test.ts"],
  },
  {
    bug: "a service whose memory can't be changed can't be scaled either",
    file: "src/commands/lookup/refused-operations.ts",
    text: "(part === undefined || each.part === part)",
    becomes: 'part !== ""',
    tests: ["test/flows/owned-workloads.test.ts"],
  },
  ...dockerMutants,
  ...kubernetesMutants,
  ...socketMutants,
];
