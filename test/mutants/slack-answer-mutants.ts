import type { Mutant } from "./mutants.ts";

const kept = ["test/flows/when-slack-fails/every-code.test.ts"];
const answers = ["test/flows/when-slack-fails/every-code-answers.test.ts"];
const follows = ["test/flows/when-slack-fails/every-code-follow.test.ts"];

const send = "src/bot/slack/send";

/** What an answer of Slack's means for a message, and each place that could forget it. */
export const slackAnswerMutants: readonly Mutant[] = [
  {
    bug: "a reply that Slack didn't confirm twice is given up",
    file: "src/bot/workflow/post/deliver.ts",
    text: '    if (posted.kind === "later") {\n      await save(',
    becomes: '    if (posted.kind === "later" && !(posted.isMaybeSent && isAgain)) {\n      await save(',
    tests: kept,
  },
  {
    bug: "who watches hears nothing while Slack refuses a first message for a reason that nobody knows",
    file: "src/bot/workflow/post/deliver.ts",
    text: '(unshown.why === "message" && post.card !== undefined)',
    becomes: 'unshown.why === "message"',
    tests: kept,
  },
  {
    bug: "a message whose connection broke off comes again as if it were new",
    file: `${send}/slack-error.ts`,
    text: "mayBeDone: code !== NO_CONNECTION };",
    becomes: "mayBeDone: !(cause instanceof TypeError) };",
    tests: kept,
  },
  {
    bug: "a page of a proxy counts as a refusal of Slack's",
    file: `${send}/slack-error.ts`,
    text: "if (!/^\\w{1,100}$/u.test(data.error)) return",
    becomes: 'if (data.error === "") return',
    tests: kept,
  },
  {
    bug: "a refused token counts as something that is wrong with the message",
    file: `${send}/sender.ts`,
    text: '  token: "app",',
    becomes: '  token: "message",',
    tests: kept,
  },
  {
    bug: "a closed channel counts as a message that is gone",
    file: `${send}/sender.ts`,
    text: '  closed: "place",',
    becomes: '  closed: "gone",',
    tests: kept,
  },
  {
    bug: "a lost answer counts as something that is wrong with the message",
    file: `${send}/sender.ts`,
    text: '  unsure: "later",',
    becomes: '  unsure: "message",',
    tests: kept,
  },
  {
    bug: "a digest that Slack may have taken comes again as if it were new",
    file: "src/bot/workflow/watching/digest.ts",
    text: "Promise.resolve(isAgain ? again : first)",
    becomes: "Promise.resolve(isAgain ? first : first)",
    tests: kept,
  },
  {
    bug: "the end of a watch that Slack may have taken comes again as if it were new",
    file: "src/bot/commands/verbs/watch/watch-message.ts",
    text: 'const again = isAgain ? [context("Sent',
    becomes: 'const again = isAgain && target.names === "" ? [context("Sent',
    tests: kept,
  },
  {
    bug: "what a requester may have been told comes again as if it were new",
    file: "src/bot/workflow/post/requester-news.ts",
    text: "(isAgain ? sentAgain(view) : view)",
    becomes: "(isAgain ? view : view)",
    tests: kept,
  },
  {
    bug: "the head or the lines of a log that Slack may have taken come again as if they were new",
    file: `${send}/call.ts`,
    text: "const isAgain = result.failure.mayBeDone;",
    becomes: "const isAgain = result.failure.code === LATE;",
    tests: answers,
  },
  {
    bug: "the answer to a read is lost in an outage of some seconds",
    file: `${send}/call.ts`,
    text: "|| !passesSoon(result.failure)) return result;",
    becomes: "|| passesSoon(result.failure)) return result;",
    tests: answers,
  },
  {
    bug: "the answer to a read is lost while a token is renewed",
    file: `${send}/call.ts`,
    text: 'return isTemporary(failure) || failure.kind === "token";',
    becomes: "return isTemporary(failure);",
    tests: answers,
  },
  {
    bug: "an answer beside a command that Slack may have taken comes again as if it were new",
    file: `${send}/response-url.ts`,
    text: "mayBeDone ? againOf(body) : body",
    becomes: "mayBeDone ? body : body",
    tests: answers,
  },
  {
    bug: "an answer that Slack may have taken comes by another way as if it were new",
    file: `${send}/responder.ts`,
    text: "sendDirectly(parts, mayBeDone ? changed(said, sentAgain) : said, sending)",
    becomes: "sendDirectly(parts, said, sending)",
    tests: answers,
  },
  {
    bug: "a log whose head Slack may have taken comes for one person as if it were new",
    file: `${send}/responder.ts`,
    text: "result.mayBeThere ? changed(said, sentAgain) : said",
    becomes: "result.mayBeThere ? said : said",
    tests: answers,
  },
  {
    bug: "a stored answer that Slack may have taken comes again as if it were new",
    file: "src/bot/workflow/reply.ts",
    text: 'sent === "maybe" ? sentAgain(post) : post',
    becomes: 'sent === "maybe" ? post : post',
    tests: ["test/flows/asking/mentions.test.ts"],
  },
  {
    bug: "a form that Slack can't fill now waits for ever",
    file: "src/bot/slack/modals/update-view.ts",
    text: "  await responder.tellPatiently(post, origin);\n",
    becomes: "",
    tests: answers,
  },
  {
    bug: "Home isn't drawn when Slack is away for some seconds",
    file: "src/bot/slack/home/draw.ts",
    text: "await patiently(deps.clock, () =>",
    becomes: "await patiently({ wait: () => Promise.resolve() }, () =>",
    tests: answers,
  },
  {
    bug: "a form goes on checking a token that was refused",
    file: "src/bot/workflow/propose/link.ts",
    text: "if (await deps.responder.showInForm(viewId, form)) return;",
    becomes: 'if ((await deps.responder.showInForm(viewId, form)) || viewId !== "") return;',
    tests: ["test/flows/connecting/connect.test.ts"],
  },
  {
    bug: "a message that Slack didn't confirm says that a log is followed",
    file: "src/bot/commands/verbs/logs/follow-messages.ts",
    text: 'words("⏳ Starting to follow ")',
    becomes: 'words("▶️ Following ")',
    tests: follows,
  },
  {
    bug: "a follow goes on whose first message was deleted",
    file: "src/bot/workflow/watching/log-follow.ts",
    text: "(await deps.store.postOf({ key: taken.id, teamId: taken.teamId })) === undefined",
    becomes: '(await deps.store.postOf({ key: taken.id, teamId: taken.teamId }))?.id === ""',
    tests: follows,
  },
  {
    bug: "lines of a followed log are posted outside of its thread when that is gone",
    file: "src/bot/workflow/post/deliver.ts",
    text: " && first.isOnlyInThread !== true",
    becomes: "",
    tests: ["test/bot/workflow/post/deliver.test.ts"],
  },
  {
    bug: "a follow ends because Slack refuses the token for a moment",
    file: "src/bot/workflow/watching/log-follow.ts",
    text: "blockedAt.getTime() < FAILING_FOR_MS ?",
    becomes: "blockedAt.getTime() < 0 ?",
    tests: follows,
  },
];
