import { expect, test } from "vitest";
import { filledIn } from "../support/form-of.ts";
import { domains } from "../../../../src/bot/commands/verbs/domains.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { service } from "../../views/support/workloads.ts";
import { scripted } from "../support/script.ts";

const web = service("web", { binding_domain_name: ["shop.example.com", "old.example.com"] });

test.each([
  ["domains web add www.example.com", ["+ domain www.example.com"]],
  ["domains web remove old.example.com", ["− domain old.example.com"]],
  ["domains web set www.example.com old.example.com", ["+ domain www.example.com", "− domain shop.example.com"]],
  ["domains web add shop.example.com", []],
])("%s says what comes and goes", async (words, diff) => {
  expect(await domains.propose(parseText(words).ask, scripted({ services: [web] }).context)).toMatchObject({ diff });
});

test("the list of a form takes the place of all there are", async () => {
  const filled = filledIn("domains", { name: "service/web", domains: "www.example.com" });
  if (filled.kind !== "ask") throw new Error(JSON.stringify(filled));

  const { diff } = await domains.propose(filled.ask, scripted({ services: [web] }).context);

  expect(diff).toEqual(["+ domain www.example.com", "− domain shop.example.com", "− domain old.example.com"]);
});
