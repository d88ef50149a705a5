import { expect, test } from "vitest";
import type { About } from "../../src/commands/command.ts";
import { drawn } from "../views/support/drawn.ts";
import { answerTo } from "./support/given.ts";

type Seen = Pick<About, "op" | "risk">;
const guest = ({ risk }: Seen) => (risk === undefined ? ("allow" as const) : ("refuse" as const));
const member = ({ risk }: Seen) =>
  risk === undefined || risk === "routine" ? ("allow" as const) : ("approve" as const);

test("a guest who may only look sees what looks, and why the rest is missing", async () => {
  expect(drawn(await answerTo("help", { outlook: guest }))).toMatchInlineSnapshot(`
    "Run container workloads from Slack.
    • /gantry list [services|jobs] [TEXT] [--status S]  List services and jobs, ten a page
    • /gantry show NAME  Show one service or job
    • /gantry logs NAME [--instance I] [--date D] [--from N] [--size N] [--grep RE] [--private]  Post log lines into a thread
    • /gantry pending  Show the changes that wait for approval
    • /gantry approve ID  Vote for a change that waits
    • /gantry reject ID [--reason TEXT]  Turn down a change that waits
    • /gantry cancel ID  Take back a change that you asked for, before it runs
    • /gantry history [NAME] [--by @user] [--since 7d] [--json]  Show what was asked for, decided and done, newest first
    • /gantry can-i VERB [words…]  Say whether you may do something, which rule decides, and who could approve
    • /gantry whoami  Show which account Gantry acts with for you, and how many calls it made
    • /gantry connect [channel]  Link your own account, or one for this channel; a form asks for the token
    • /gantry disconnect [channel]  Unlink your own account, or this channel's
    • /gantry help [VERB]  Show what you may do here, or one verb with its flags
    One verb with its flags and an example: /gantry help VERB
    Leave words out and a form asks for them. By pointing: the Home tab of this app, and its shortcuts.
    9 verbs are left out, because you may not use them here; /gantry can-i VERB says why."
  `);
});

test("a member sees which verbs need approval whatever the workload is", async () => {
  const help = drawn(await answerTo("help", { outlook: member }));

  expect(help).toContain("• /gantry stop NAME  Stop a service; its definition stays · needs approval");
  expect(help).toContain("• /gantry scale NAME N  Set how many instances a service has\n");
  expect(help).not.toContain("left out");
});

test("somebody without any right still sees what is about Gantry itself", async () => {
  const help = drawn(await answerTo("help", { outlook: () => "refuse" }));

  expect(help).toContain("/gantry whoami");
  expect(help).toContain("12 verbs are left out, because you may not use them here; /gantry can-i VERB says why.");
});

test("the help of one verb says what would happen for this person", async () => {
  expect(drawn(await answerTo("help scale", { outlook: member }))).toMatchInlineSnapshot(`
    "# /gantry scale
    Set how many instances a service has
    Usage  /gantry scale NAME N
    Example  /gantry scale web 4
    For you here: routine at once, disruptive and destructive with approval; /gantry can-i scale says which rule decides.
    • --region R  the region of services (jobs are always in us)
    • --share  answer into the channel instead of for you only
    • --reason TEXT  why, for those who approve and for history
    • --break-glass  run at once, where a rule lets you do that; takes a reason, and the channel is told"
  `);
  expect(drawn(await answerTo("help delete", { outlook: guest }))).toContain("You may not use it here");
  expect(drawn(await answerTo("help restart", { outlook: member }))).toContain("it needs approval");
  expect(drawn(await answerTo("help show", { outlook: member }))).toContain("You may use it here, at once");
  expect(drawn(await answerTo("help approve", { outlook: guest }))).not.toContain("here");
});
