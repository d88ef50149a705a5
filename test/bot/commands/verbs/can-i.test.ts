import { describe, expect, test } from "vitest";
import type { About } from "../../../../src/bot/commands/command.ts";
import type { Terms, Verdict } from "../../../../src/bot/policy/policy.ts";
import { drawn } from "../../views/support/drawn.ts";
import { expectFits } from "../../views/support/judges.ts";
import { channelVote } from "../../../support/channel-vote.ts";
import { service } from "../../views/support/workloads.ts";
import { allow, answerTo, refuse, scripted, type Script } from "../support/script.ts";

const approve = (more: Partial<Terms> = {}): Verdict => ({
  kind: "approve",
  rule: "hurts",
  terms: { ...channelVote, ...more },
});
const web = service("web", { target_instance_size: 2 });

/** As the default has it: looking and adding at once, the rest with a vote. */
const permissions = ({ risk }: About): Verdict => (risk === undefined || risk === "routine" ? allow : approve());

async function told(text: string, script: Script): Promise<string> {
  const message = await answerTo(text, script);
  expectFits(message);
  return drawn(message);
}

describe("a whole command is judged by what it would change now", () => {
  test("allowed", async () => {
    expect(await told("can-i scale web 4", { services: [web], permissions })).toMatchInlineSnapshot(`
      "✅ Yes, you can run scale web here.
      Policy: members do.
      It would change:
      • instances 2 → 4"
    `);
  });

  test("with approval, and who could", async () => {
    const script = { services: [web], permissions, couldApprove: ["Alex Kim", "Sam Fox", "Kim Lee", "Ola Berg"] };

    expect(await told("can-i scale web 0", script)).toMatchInlineSnapshot(`
      "⏳ Yes, you can run scale web here with 1 approval.
      Approvers: any other full member of this channel. It expires after 1 hour.
      Can approve now: Alex Kim, Sam Fox, Kim Lee and 1 more.
      Policy: hurts.
      It would change:
      • instances 2 → 0"
    `);
  });

  test("refused, by no rule and by one", async () => {
    const script = { services: [web], permissions: () => refuse };

    expect(await told("can-i delete service/web", script)).toMatchInlineSnapshot(`
      "🚫 No. No rule lets a guest do this.
      Ask a full member."
    `);
    expect(
      await told("can-i delete service/web", { ...script, permissions: () => ({ ...refuse, rule: "freeze" }) }),
    ).toContain("Policy: freeze.");
  });

  test("the permissions is asked about the very change: its risk, its workload, the region that was said", async () => {
    const town = scripted({ services: [web], permissions });

    await answerTo("can-i domains web remove shop.example.org --region beijing2", town);

    expect(town.asked.at(-2)).toEqual({
      op: "updateService",
      risk: "destructive",
      workload: { kind: "service", region: "beijing2", name: "web" },
      footprint: { containers: [{ image: "gantry/hello-web", memoryMiB: 512 }], instances: 2 },
    });
    expect(town.calls).toEqual(["getService"]);
  });

  test("already so", async () => {
    expect(await told("can-i scale web 2", { services: [web], permissions: () => allow })).toContain(
      "Nothing would change.",
    );
  });

  test("a name that nothing has is said as such", async () => {
    await expect(told("can-i restart wbe", { services: [web], permissions })).rejects.toThrow("no service named wbe");
  });
});

describe("what is missing is said", () => {
  type Lack = {
    readonly what: string;
    readonly more: Partial<Terms>;
    readonly could: string[];
    readonly answer: string;
  };
  test.each<Lack>([
    {
      what: "a reason",
      more: { reasonRequired: true },
      could: ["Alex Kim"],
      answer: "It needs a reason. Add --reason TEXT.",
    },
    { what: "anybody", more: {}, could: [], answer: "🚫 Not now: it needs 1 approval, and nobody can approve here." },
    {
      what: "enough people",
      more: { votes: 2 },
      could: ["Alex Kim"],
      answer: "🚫 Not now: it needs 2 approvals, and only Alex Kim can approve here.",
    },
    {
      what: "nothing, where one's own approval is the second",
      more: { votes: 2, selfApproval: true },
      could: ["Alex Kim"],
      answer: "You can approve it yourself.\nCan approve now: Alex Kim.",
    },
    {
      what: "nothing, and who can approve",
      more: { from: { users: ["U1"], groups: ["S1", "S2"], channelMembers: false } },
      could: ["Alex Kim"],
      answer: "Approvers: members of 2 user groups or 1 named person. It expires after 1 hour.",
    },
  ])("$what", async ({ more, could, answer }) => {
    const script = { services: [web], couldApprove: could, permissions: () => approve(more) };

    expect(await told("can-i stop web", script)).toContain(answer);
  });

  test("a reason that was given is not missing", async () => {
    const script = {
      services: [web],
      couldApprove: ["Alex Kim"],
      permissions: () => approve({ reasonRequired: true }),
    };

    expect(await told("can-i stop web", script)).toContain("It needs a reason");
    expect(await told("can-i stop web --reason 'too slow'", script)).toContain("with 1 approval");
    expect(await told("can-i stop web --reason 'too slow'", script)).not.toContain("It needs a reason");
  });
});

describe("breaking the glass", () => {
  const onCall = (_about: About, breakGlass: boolean): Verdict =>
    breakGlass ? { kind: "break-glass", rule: "on call" } : approve();

  test("is offered where a rule would let them", async () => {
    expect(await told("can-i stop web", { services: [web], permissions: onCall })).toContain(
      "With --break-glass and a reason, it runs immediately (policy: on call).",
    );
  });

  test("can be asked about without a reason, which is then missing", async () => {
    expect(await told("can-i stop web --break-glass", { services: [web], permissions: onCall })).toMatchInlineSnapshot(`
      "🚨 Yes, you can run stop web here immediately with break-glass.
      The channel sees it, and history marks it.
      Policy: on call.
      It needs a reason. Add --reason TEXT.
      It would change:
      • stops all 2 instances"
    `);
  });
});

describe("unfinished words are judged by the verb and the name", () => {
  test("each risk gets its answer", async () => {
    const town = scripted({ services: [web], permissions, couldApprove: ["Alex Kim"] });

    expect(drawn(await answerTo("can-i scale web", town))).toMatchInlineSnapshot(`
      "❓ scale web here: it depends on the change.
      ✅ Routine changes: yes.
      ⏳ Disruptive and destructive changes: with 1 approval. Can approve now: Alex Kim.
      Based on the command and name only. Instances must be a whole number from 0 to 1000. For an exact answer, type the whole command: /gantry can-i scale web 4"
    `);
    expect(town.calls).toEqual([]);
    expect(town.asked[0]?.workload).toEqual({ kind: "service", region: "beijing1", name: "web" });
  });

  test("several workloads are too many", async () => {
    await expect(told("can-i restart web worker", { permissions })).rejects.toMatchObject({
      message: "This takes one workload at a time.",
      next: "Name one workload.",
    });
  });

  test("a kind that is named narrows it down", async () => {
    const engine = { title: "Processes", regions: [], takesAnyMemory: true, keepsRevisions: true, pushesChanges: true };
    const town = scripted({ permissions, engine: { ...engine, images: ["gantry/batch"] } });

    await answerTo("can-i create job nightly --region beijing2", town);

    expect(town.asked).toEqual([
      { op: "createJob", risk: "routine", workload: { kind: "job", region: "us", name: "nightly" } },
    ]);
  });

  test("a creation depends on its image where any image could run", async () => {
    const answer = await told("can-i create job nightly", { permissions });

    expect(answer).toContain("it depends on the change");
    expect(answer).toContain("⏳ Disruptive changes: with 1 approval.");
  });

  test("without a name, a refusal that hangs on the name is not said as one", async () => {
    const byName = ({ workload }: About): Verdict => (workload.name === undefined ? refuse : allow);

    const open = await told("can-i delete", { permissions: byName, outlook: () => "approve" });
    const closed = await told("can-i delete", { permissions: byName, outlook: () => "refuse" });

    expect(open).toContain("❓ It depends on the workload. Add its name.");
    expect(closed).toContain("🚫 No. No rule lets a guest do this.");
  });

  test("somebody whom every rule refuses causes no read", async () => {
    const town = scripted({ services: [web], permissions: () => refuse, outlook: () => "refuse" });

    const answer = drawn(await answerTo("can-i delete service/web", town));

    expect(answer).toContain("🚫 No.");
    expect(town.calls).toEqual([]);
  });

  test("a service that is down does not keep the policy from answering", async () => {
    const answer = await told("can-i stop web", { isDown: true, permissions, couldApprove: ["Alex Kim"] });

    expect(answer).toContain("with 1 approval");
    expect(answer).toContain("Couldn't read the workload. The service is not available.");
  });
});

test("a look is judged like anything else", async () => {
  expect(await told("can-i logs web", { permissions })).toMatchInlineSnapshot(`
    "✅ Yes, you can run logs web here.
    Policy: members do."
  `);
  expect(await told("can-i list jobs", { permissions: () => refuse })).toContain("🚫 No.");
});

test.each([
  ["can-i help", "✅ Yes, every full member can use help."],
  ["can-i approve K7Q2MX", "❓ It depends on the request."],
])("%s is about no rule", async (text, answer) => {
  expect(await told(text, { permissions: () => refuse })).toContain(answer);
});

test("values of variables are not said back", async () => {
  const text = "can-i create service fresh --image x --env API_TOKEN=hunter2";

  const whole = JSON.stringify(await answerTo(text, { permissions }));
  const mistyped = JSON.stringify(await answerTo(`${text} --nonsense`, { permissions }));

  expect(whole).toContain("API_TOKEN");
  expect(mistyped).toContain("--nonsense");
  expect(whole + mistyped).not.toContain("hunter2");
});
