import { describe, expect, test } from "vitest";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import type { FormValues } from "../../../../src/bot/commands/forms/form.ts";
import { findCommand } from "../../../../src/bot/commands/grammar/find-command.ts";
import { splitWords } from "../../../../src/bot/commands/grammar/words.ts";

function unfinished(text: string): FormValues | undefined {
  const [verb = "", ...words] = splitWords(text);
  return findCommand(commands, verb).unfinished?.(words);
}

describe("words that lack only what a form asks for open it", () => {
  test.each<[string, FormValues]>([
    ["scale", {}],
    ["scale web", { name: "web" }],
    ["scale web --region eu1", { name: "web", region: "eu1" }],
    ["scale --reason 'too slow' --break-glass", { reason: "too slow", "break-glass": "yes" }],
    ["memory service/web --container proxy", { name: "service/web", container: "proxy" }],
    ["domains", {}],
    ["domains web", { name: "web" }],
    ["domains web add", { name: "web" }],
    ["delete", {}],
    [
      "logs --grep 'out of memory' --date 2026.11.20 --share",
      { grep: "out of memory", date: "2026-11-20", share: "yes" },
    ],
    ["approve", {}],
    ["reject --reason 'not today'", { reason: "not today" }],
    ["can-i", {}],
    ["create", {}],
    ["create Service", { kind: "service" }],
    ["create service web", { kind: "service", name: "web" }],
    ["create job --image gantry/batch", { kind: "job", image: "gantry/batch" }],
    [
      "create job a --env A=1 --env 'B=x y' --pull-always -- sh -c 'a \"b\"' ''",
      { kind: "job", name: "a", env: "A=1\nB=x y", "pull-always": "yes", command: 'sh -c "a \\"b\\"" ""' },
    ],
  ])("%s", (text, values) => {
    expect(unfinished(text)).toEqual(values);
  });

  test.each([
    "scale web 4",
    "scale web many",
    "scale many many many",
    "scale --regoin eu1",
    "scale web --region ''",
    "scale ../web",
    "stop --break-glass",
    "domains add shop.example.com",
    "create thing",
    "create job Web_1",
    "create job a --instances 2",
    "create --instances 2",
    "create job -- sh -c '“a” ‘b’'",
    "create service web --env DB_PASSWORD=hunter2hunter2",
    "logs --date yesterday",
    "logs --grep ' a'",
    "list",
    "history",
    "history --since yesterday",
    "can-i scale",
  ])("%s does not", (text) => {
    expect(unfinished(text)).toBeUndefined();
  });

  test("pending, help and whoami lack nothing", () => {
    expect(["pending", "help", "whoami"].map(unfinished)).toEqual([undefined, undefined, undefined]);
  });
});
