import { describe, expect, test } from "vitest";
import type { About } from "../../../src/commands/command.ts";
import type { Terms, Verdict } from "../../../src/policy/verdict.ts";
import { drawn } from "../../views/support/drawn.ts";
import { expectFits } from "../../views/support/judges.ts";
import { channelVote } from "../../support/channel-vote.ts";
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
      "scale service web, for you here:
      ✅ Yes, at once. The rule “members do” allows it.
      It would change now:
      • instances 2 → 4"
    `);
  });

  test("with approval, and who could", async () => {
    const script = { services: [web], permissions, couldApprove: ["Alex Kim", "Sam Fox", "Kim Lee", "Ola Berg"] };

    expect(await told("can-i scale web 0", script)).toMatchInlineSnapshot(`
      "scale service web, for you here:
      ⏳ Yes, with approval: the rule “hurts” wants 1 vote from any other full member of the channel, within 60 min.
      Now these could approve: Alex Kim, Sam Fox, Kim Lee, 1 more.
      It would change now:
      • instances 2 → 0"
    `);
  });

  test("refused, by no rule and by one", async () => {
    const script = { services: [web], permissions: () => refuse };

    expect(await told("can-i delete service/web", script)).toMatchInlineSnapshot(`
      "delete service web, for you here:
      🚫 No. No rule lets a guest do this.
      Ask a full member."
    `);
    expect(
      await told("can-i delete service/web", { ...script, permissions: () => ({ ...refuse, rule: "freeze" }) }),
    ).toContain("The rule “freeze” decides.");
  });

  test("the permissions is asked about the very change: its risk, its workload, the region that was said", async () => {
    const town = scripted({ services: [web], permissions });

    await answerTo("can-i domains web remove shop.example.org --region beijing2", town);

    expect(town.asked.at(-2)).toEqual({
      op: "updateService",
      risk: "destructive",
      workload: { kind: "service", region: "beijing2", name: "web" },
    });
    expect(town.calls).toEqual(["getService"]);
  });

  test("already so", async () => {
    expect(await told("can-i scale web 2", { services: [web], permissions: () => allow })).toContain(
      "It is already so: nothing would be sent.",
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
      answer: "Missing: a reason. Add --reason TEXT.",
    },
    { what: "anybody", more: {}, could: [], answer: "Missing: somebody who could approve. Nobody here could, now." },
    {
      what: "enough people",
      more: { votes: 2 },
      could: ["Alex Kim"],
      answer: "Missing: enough people. Only Alex Kim could approve now, and it takes 2 votes.",
    },
    {
      what: "nothing, where one's own vote is the second",
      more: { votes: 2, selfApproval: true },
      could: ["Alex Kim"],
      answer: "Your own vote counts.\nNow these could approve: Alex Kim.",
    },
    {
      what: "nothing, and from whom a vote is wanted",
      more: { from: { users: ["U1"], groups: ["S1", "S2"], channelMembers: false } },
      could: ["Alex Kim"],
      answer: "wants 1 vote from the members of 2 user groups or 1 named person, within 60 min.",
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

    expect(await told("can-i stop web", script)).toContain("Missing");
    expect(await told("can-i stop web --reason 'too slow'", script)).toContain("Yes, with approval");
    expect(await told("can-i stop web --reason 'too slow'", script)).not.toContain("Missing");
  });
});

describe("breaking the glass", () => {
  const onCall = (_about: About, breakGlass: boolean): Verdict =>
    breakGlass ? { kind: "break-glass", rule: "on call" } : approve();

  test("is offered where a rule would let them", async () => {
    expect(await told("can-i stop web", { services: [web], permissions: onCall })).toContain(
      "With --break-glass and a reason it would run at once: the rule “on call” lets you.",
    );
  });

  test("can be asked about without a reason, which is then missing", async () => {
    expect(await told("can-i stop web --break-glass", { services: [web], permissions: onCall })).toMatchInlineSnapshot(`
      "stop service web, for you here:
      🚨 Yes, at once, by breaking the glass: the rule “on call” lets you. The channel is told, and history marks it.
      Missing: a reason. Add --reason TEXT.
      It would change now:
      • status Running → Stopped"
    `);
  });
});

describe("unfinished words are judged by the verb and the name", () => {
  test("each risk gets its answer", async () => {
    const town = scripted({ services: [web], permissions, couldApprove: ["Alex Kim"] });

    expect(drawn(await answerTo("can-i scale web", town))).toMatchInlineSnapshot(`
      "scale web, for you here:
      Where it only adds (routine): ✅ Yes, at once. The rule “members do” allows it.
      Where it interrupts (disruptive) or takes away (destructive): ⏳ Yes, with approval: the rule “hurts” wants 1 vote from any other full member of the channel, within 60 min. Now these could approve: Alex Kim.
      Judged by the verb and the name, without reading the workload. Instances must be a whole number from 0 to 1000. A whole command gets a sure answer: /gantry can-i scale web 4"
    `);
    expect(town.calls).toEqual([]);
    expect(town.asked[0]?.workload).toEqual({ kind: "service", region: "beijing1", name: "web" });
  });

  test("a kind that is named narrows it down", async () => {
    const town = scripted({ permissions });

    await answerTo("can-i create job nightly --region beijing2", town);

    expect(town.asked).toEqual([
      { op: "createJob", risk: "routine", workload: { kind: "job", region: "us", name: "nightly" } },
    ]);
  });

  test("without a name, a refusal that hangs on the name is not said as one", async () => {
    const byName = ({ workload }: About): Verdict => (workload.name === undefined ? refuse : allow);

    const open = await told("can-i delete", { permissions: byName, outlook: () => "approve" });
    const closed = await told("can-i delete", { permissions: byName, outlook: () => "refuse" });

    expect(open).toContain("❓ That depends on the workload: say its NAME.");
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

    expect(answer).toContain("⏳ Yes, with approval");
    expect(answer).toContain("The workload could not be read. The service is not available.");
  });
});

test("a look is judged like anything else", async () => {
  expect(await told("can-i logs web", { permissions })).toMatchInlineSnapshot(`
    "logs web, for you here:
    ✅ Yes, at once. The rule “members do” allows it."
  `);
  expect(await told("can-i list jobs", { permissions: () => refuse })).toContain("🚫 No.");
});

test.each([
  ["can-i help", "No rule of the policy decides about help"],
  ["can-i approve K7Q2MX", "Whether you may approve depends on the change"],
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
