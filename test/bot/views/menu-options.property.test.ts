import type { Button } from "@slack/types";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openButton, requestButton, runButton } from "../../../src/bot/views/kit/ask-buttons.ts";
import { actions, askButton, limits, suggesting } from "../../../src/bot/views/kit/blocks.ts";
import { carriedByOption, menuOptions } from "../../../src/bot/views/kit/menu-options.ts";
import { clickablesIn } from "../../support/clickables.ts";

// However many actions a message has: three buttons, then a menu, and an option does what its button would.

const name = fc.stringMatching(/^(?:service|job)\/[a-z][a-z0-9-]{0,62}$/u);
const region = fc.constantFrom("beijing1", "tokyo1");
const verb = fc.constantFrom("logs", "show", "restart", "scale");
const share = fc.boolean();
const args = fc
  .record(
    {
      date: fc.constantFrom("2026.11.20", "2026.11.21"),
      size: fc.constantFrom("100", "1000"),
      from: fc.nat(2_000).map(String),
      grep: fc.string({ maxLength: 30 }),
      raw: fc.constant(true),
    },
    { requiredKeys: [] },
  )
  .chain((some) => name.map((each) => ({ name: each, ...some })));

const button: fc.Arbitrary<Button | undefined> = fc.oneof(
  fc.record({ verb, region, share, args }).map((ask) => askButton("Show", ask)),
  fc.record({ verb, region, share, args }).map((ask) => runButton("Run", ask, { at: 0 })),
  fc.record({ verb, region, name }).map((each) => openButton("Open", { ...each, values: { name: each.name } })),
  fc.stringMatching(/^[A-Z0-9]{6}$/u).map((id) => requestButton("show", id)),
);

function meaning(value: string): unknown {
  return value.startsWith("{") ? JSON.parse(value) : value;
}

test("a row has at most three buttons and a menu, whose options carry what their buttons would", () => {
  fc.assert(
    fc.property(fc.array(button, { maxLength: 12 }), (buttons) => {
      const blocks = actions(...buttons);
      const elements = blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));

      expect(elements.filter(({ type }) => type === "button").length).toBeLessThanOrEqual(limits.buttons);
      expect(elements.filter(({ type }) => type === "overflow").length).toBeLessThanOrEqual(1);
      const carried = buttons.map((each) => ({ id: each?.action_id, value: meaning(each?.value ?? "") }));
      for (const { actionId, value } of clickablesIn(blocks)) {
        expect(carried).toContainEqual({ id: actionId, value: meaning(value) });
      }
    }),
  );
});

test("only a suggested step is filled", () => {
  fc.assert(
    fc.property(button, fc.array(button, { maxLength: 6 }), (step, others) => {
      const styles = (blocks: ReturnType<typeof actions>) =>
        blocks.flatMap((block) =>
          block.type === "actions"
            ? block.elements.flatMap((each) => (each.type === "button" ? [each.style] : []))
            : [],
        );

      expect(new Set(styles(actions(step, ...others)))).not.toContain("primary");
      expect(styles(suggesting(step, ...others)).slice(1)).not.toContain("primary");
      expect(styles(suggesting(step, ...others))[0]).toBe("primary");
    }),
  );
});

const id = fc.oneof(fc.constantFrom("ask:0", "run:7", "ask:beside:why", "form:open:logs", "follow:stop"), fc.string());
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("{", "{}", '{"verb":"show"}', "a b=c", "-", ".name"),
);
const anything = fc.oneof(text, fc.jsonValue(), fc.constantFrom(["1h"], {}, null));
const fields = fc.dictionary(fc.oneof(fc.constantFrom("verb", "region", "name", "date"), text), anything, {
  maxKeys: 5,
});
const anyButton = fc
  .record({ id, value: fc.oneof(text, fields, fc.record({ verb: text, args: fields }), fc.record({ values: fields })) })
  .filter((each) => !/[ =]/u.test(each.id))
  .map(({ id: action_id, value }): Button => {
    const carried = typeof value === "string" ? value : JSON.stringify(value);
    return { type: "button", action_id, value: carried, text: { type: "plain_text", text: "Do" } };
  });

function jsonIn(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

test("an option carries the action and the value of its button, whatever they are and whatever is beside it", () => {
  fc.assert(
    fc.property(fc.array(anyButton, { maxLength: 6 }), (buttons) => {
      const { blockId = "", options } = menuOptions(buttons);

      expect(blockId.length).toBeLessThanOrEqual(limits.blockId);
      const carried = options.map((option) => carriedByOption(option.value, blockId));
      expect(carried.map(({ actionId, value }) => [actionId, jsonIn(value)])).toEqual(
        buttons.map(({ action_id, value = "" }) => [action_id, jsonIn(value)]),
      );
    }),
    { numRuns: 500 },
  );
});

test("what comes from outside carries something that no button has, and throws nothing", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (option, blockId) => {
      expect(typeof carriedByOption(option, blockId).value).toBe("string");
      expect(typeof carriedByOption(`ask:0={${option}`, `{${blockId}`).value).toBe("string");
    }),
  );
});

test("a menu of a workload with a long name has all of its options", () => {
  const long = { name: `service/${"w".repeat(220)}` };
  const forms = ["stop", "memory", "delete"].map((each) =>
    openButton(each, { verb: each, values: long, region: "beijing1" }),
  );
  const reads = ["logs", "show", "why"].map((each) =>
    askButton(each, { verb: each, region: "beijing1", share: true, args: long }),
  );

  expect(clickablesIn(actions(...reads, ...forms))).toHaveLength(6);
});

test("pages, filters and forms of a log with a long name fit into the menu beside each other", () => {
  const log = { name: `service/${"w".repeat(45)}`, date: "2026.11.20", size: "100", grep: "error" };
  const ask = (label: string, own: object) =>
    askButton(label, { verb: "logs", region: "beijing1", share: false, args: { ...log, ...own } });
  const place = { from: "2900", until: "10.0123456789abcdef" };
  const shown = ["Older", "Newer", "Filter"].map((label) => ask(label, {}));
  const { date: _date, size: _size, ...follow } = { ...log, follow: true };
  const inMenu = [
    askButton("Follow", { verb: "logs", region: "beijing1", share: false, args: follow }),
    ask("Show lines around", { ...place, context: "3" }),
    ask("Show raw lines", { ...place, raw: true }),
  ];

  for (const menu of [inMenu, inMenu.slice(0, 2), inMenu.slice(1), [inMenu[0], inMenu[2]]]) {
    expect(clickablesIn(actions(...shown, ...menu))).toHaveLength(3 + menu.length);
  }
});
