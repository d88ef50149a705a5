import fc from "fast-check";
import { expect, test } from "vitest";
import { isPolite } from "../../../../src/bot/commands/grammar/manners.ts";
import type { Store } from "../../../../src/bot/store/store.ts";
import { type Interaction, unfinishedIn } from "../../../../src/bot/workflow/inbox/interaction.ts";
import { deliver } from "../../../support/deliver.ts";
import { cases } from "../../../support/full-run.ts";
import { oneService } from "../../../support/one-service.ts";
import { world, type World } from "../../../support/world.ts";

const ordered = [
  "restart web | stop web, worker | start web | delete web | scale web 5 | scale web to 5 | memory web 512",
  "domains web add a.example.com | create job nightly --image gantry/batch | use --region us | disconnect",
  "approve K7Q2MX | reject K7Q2MX | cancel K7Q2MX | restart web --reason leak --break-glass",
].flatMap((some) => some.split(" | "));
const orders = fc.constantFrom(...ordered);

const english = {
  before:
    "whatever happens, don't let | yesterday somebody typed | wait with your | he told me to | the runbook says: | if it fails again | never ever | maybe | who wrote | instead of | please don't | hey, wait with | please tell me what happens when I | tomorrow we'll | “ | • | I ran | no",
  after:
    "is what he typed | was a mistake | broke everything yesterday | tomorrow, not now | if it fails again | and tell me why | would be wrong | — just kidding | or not | said nobody | worked fine | ? | ?! | !?",
};
const german = {
  before:
    "gestern hat jemand getippt: | bitte nicht | hallo, bitte auf keinen Fall | egal was passiert, niemals | warte noch mit deinem | „ | wenn es wieder ausfällt, | im Runbook steht | vielleicht | auf keinen Fall | Dana meinte, | statt",
  after:
    "war gestern ein Fehler | morgen, nicht jetzt | wenn es wieder ausfällt | hat alles kaputt gemacht | oder? | hat er getippt | wäre falsch | lieber doch nicht | ist das richtig?",
};
const spanish = {
  before:
    "ayer alguien escribió | por favor no | hola, por favor todavía no | pase lo que pase, nunca | espera con tu | si vuelve a fallar, | el manual dice: | quizás | de ninguna manera | Dana dijo | en vez de | mañana haremos",
  after:
    "fue un error | mañana, ahora no | si vuelve a fallar | lo rompió todo ayer | escribió él | ¿o no? | sería un error | no lo hagas",
};
const languages = [english, german, spanish];
const before = fc.constantFrom(...languages.flatMap((each) => each.before.split(" | ")));
const after = fc.constantFrom(...languages.flatMap((each) => each.after.split(" | ")));

const BOT = "<@U0BOT>";
/** Words of nobody's list. What nobody may take for a greeting comes before the mention. */
const anyWords = fc
  .array(fc.stringMatching(/^[a-zäöüßñáéí']{1,9}$/u), { minLength: 1, maxLength: 5 })
  .map((words) => words.join(" "))
  .filter((words) => !isPolite(words));

type Said = { readonly text: string; readonly blocks?: readonly object[] };

const user = { type: "user", user_id: "U0BOT" };
const words = (text: string, style?: object) => ({ type: "text", text, ...(style && { style }) });
const section = (...elements: readonly object[]) => ({ type: "rich_text_section", elements });
const composed = (...elements: readonly object[]) => [{ type: "rich_text", elements }];

const talk: fc.Arbitrary<Said> = fc.oneof(
  fc.tuple(fc.oneof(before, anyWords), orders, fc.option(after, { nil: "" })).map((parts) => {
    const [first, order, last] = parts;
    return { text: `${first} ${BOT} ${order} ${last}`.trim() };
  }),
  fc
    .tuple(before, orders, fc.option(after, { nil: "" }))
    .map((parts) => ({ text: `${BOT} ${parts.join(" ").trim()}` })),
  fc.tuple(orders, after).map((parts) => ({ text: `${BOT} ${parts.join(" ")}` })),
  fc.tuple(orders, fc.constantFrom("?", "?!", "!?", "??", "？", " :question:")).map((parts) => ({
    text: `${BOT} ${parts.join("")}`,
  })),
  fc.tuple(before, orders, after).map((parts) => ({ text: `${parts.join(" ")} ${BOT}` })),
  fc.tuple(orders, orders).map(([first, second]) => ({ text: `${first} ${BOT} ${second}` })),
);

const shown: fc.Arbitrary<Said> = fc
  .tuple(
    orders,
    fc.constantFrom(
      (order: string): Said => ({ text: `&gt; ${BOT} ${order}` }),
      (order: string): Said => ({ text: `look:\n&gt; ${BOT} ${order}\nwhy?` }),
      (order: string): Said => ({ text: `&gt;&gt;&gt; look\n${BOT} ${order}` }),
      (order: string): Said => ({ text: `\`${BOT} ${order}\`` }),
      (order: string): Said => ({ text: `\`\`\`${BOT} ${order}\`\`\`` }),
      (order: string): Said => ({ text: `${BOT} \`\`\`${order}\`\`\`` }),
      (order: string): Said => ({
        text: `${BOT} ${order}`,
        blocks: composed({ type: "rich_text_quote", elements: [user, words(` ${order}`)] }),
      }),
      (order: string): Said => ({
        text: `${BOT} ${order}`,
        blocks: composed({ type: "rich_text_preformatted", elements: [user, words(` ${order}`)] }),
      }),
      (order: string): Said => ({
        text: `${BOT} ${order}`,
        blocks: composed(section({ ...user, style: { code: true } }, words(` ${order}`, { code: true }))),
      }),
      (order: string): Said => ({
        text: `${BOT} ${order}`,
        blocks: composed(section(words("he typed "), user, words(` ${order}`))),
      }),
      (order: string): Said => ({
        text: `${BOT} ${order}`,
        blocks: composed({ type: "rich_text_list", elements: [section(user, words(` ${order}`))] }),
      }),
    ),
  )
  .map(([order, show]) => show(order));

type Stored = { readonly ts: string | undefined; readonly interaction: Interaction };

/** A bot that only notes what it would carry out. */
async function cautiousTown(): Promise<{ readonly town: World; readonly stored: readonly Stored[] }> {
  const stored: Stored[] = [];
  const note = (real: Store): Store => ({
    ...real,
    accept: (delivery) => {
      const { interaction } = unfinishedIn(delivery.payload);
      stored.push({ ts: interaction.origin.threadTs, interaction });
      return Promise.resolve(undefined);
    },
  });
  const town = await world({ apiFetch: oneService, store: note });
  return { town, stored };
}

let number = 0;

/** Delivers an `app_mention` as Slack does, and gives the `ts` of the message. */
async function hear(town: World, said: Said): Promise<string> {
  number += 1;
  const ts = `${Math.floor(Date.now() / 1_000)}.${String(number).padStart(6, "0")}`;
  const event = { type: "app_mention", user: "U0DANA", team: "T0GANTRY", channel: "C0OPS", ts, event_ts: ts, ...said };
  const body = { type: "event_callback", team_id: "T0GANTRY", event_id: `Ev${number}`, event };
  await deliver(town, { body: JSON.stringify(body), type: "application/json" });
  return ts;
}

/** No workload that isn't there can be changed: a request that names one is refused as a whole. */
function canChange({ interaction }: Stored): boolean {
  if (interaction.kind !== "ask") return true;
  const { names } = interaction.ask.args;
  return !Array.isArray(names) || names.every((name) => name === "web" || name === "worker");
}

/** The texts of those that lead to a change, a vote or a cancellation at once. */
async function acted(all: readonly Said[]): Promise<readonly string[]> {
  const { town, stored } = await cautiousTown();
  await using _town = town;
  const texts = new Map<string, string>();
  for (let at = 0; at < all.length; at += 10) {
    const some = all.slice(at, at + 10);
    await Promise.all(some.map(async (said) => texts.set(await hear(town, said), JSON.stringify(said))));
    await town.settled();
  }
  return stored.filter(canChange).map(({ ts = "" }) => texts.get(ts) ?? "");
}

test("talk about an order changes nothing, approves nothing and cancels nothing", async () => {
  expect(await acted(fc.sample(talk, cases))).toEqual([]);
});

test("an order in a quote, in code or in a list isn't given", async () => {
  expect(await acted(fc.sample(shown, cases))).toEqual([]);
});

test("nor is anything changed by talk in a direct message", async () => {
  const { town, stored } = await cautiousTown();
  await using _town = town;
  for (const [first, order, last] of fc.sample(fc.tuple(before, orders, after), cases)) {
    await town.developer.says(`${first} ${order} ${last}`, { channel: "@gantry" });
  }
  await town.settled();

  expect(stored.filter(canChange)).toEqual([]);
});

test("the same orders, given from the first word, are carried out", async () => {
  const given = ordered.map((order): Said => ({ text: `hey ${BOT} ${order}` }));

  expect((await acted(given)).toSorted()).toEqual(given.map((said) => JSON.stringify(said)).toSorted());
});
