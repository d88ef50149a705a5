import { previewBlocks } from "../../../src/bot/views/forms/form-view.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { offeredVerbs } from "../../../src/bot/commands/lookup/authorize.ts";
import { commands } from "../../../src/bot/commands/verbs.ts";
import type { Change } from "../../../src/bot/changes/change.ts";
import type { FormField, FormInput } from "../../../src/bot/commands/forms/form.ts";
import { UserError } from "../../../src/bot/errors.ts";
import type { Verdict } from "../../../src/bot/policy/policy.ts";
import { endView, skeletonView } from "../../../src/bot/views/forms/modal.ts";
import { StateValues, valuesIn } from "../../../src/bot/views/forms/form-element.ts";
import { jobCard } from "../../../src/bot/commands/verbs/show/job-card.ts";
import { openButton } from "../../../src/bot/views/kit/ask-buttons.ts";
import {
  changeOptions,
  instanceOptions,
  regionOptions,
  workloadOptions,
} from "../../../src/bot/views/forms/picker-options.ts";
import { post } from "../../../src/bot/views/kit/post.ts";
import { actions } from "../../../src/bot/views/kit/blocks.ts";
import { serviceCard } from "../../../src/bot/commands/verbs/show/service-card.ts";
import { mistakeWithForm } from "../../../src/bot/views/messages/error-messages.ts";
import { fields, form } from "./support/fields.ts";
import { hostileChange } from "./support/hostile-change.ts";
import { hostileJob, hostileService, hostileText, long } from "./support/hostile.ts";
import { lately } from "./support/hostile-lists.ts";
import { holds } from "./support/holds.ts";
import { expectFits, expectFormFits, expectSuggestionFits } from "./support/judges.ts";
import { terms } from "./support/stored-changes.ts";
import { command, now } from "./support/workloads.ts";

const values = fc
  .tuple(...fields.map(({ id }) => hostileText.map((text) => [id, text] as const)))
  .map(Object.fromEntries);

const options = fc.array(fc.record({ value: hostileText, text: hostileText, description: hostileText }), {
  maxLength: 3,
});
const input: fc.Arbitrary<FormInput> = fc.oneof(
  options.map((all): FormInput => ({ kind: "choice", options: all, style: "radio" })),
  fc.tuple(options, fc.constantFrom(1, 60)).map(([all, times]): FormInput => ({
    kind: "choice",
    style: "menu",
    options: Array.from({ length: times }, (_, at) =>
      all.map((each) => ({ ...each, value: `${each.value}${at}` })),
    ).flat(),
  })),
  hostileText.map((text): FormInput => ({ kind: "tick", text })),
  fc.constantFrom<FormInput>(
    { kind: "text", maxLength: 5000 },
    { kind: "lines", maxLength: 0 },
    { kind: "command", maxLength: Number.NaN },
    { kind: "workload", of: "any" },
    { kind: "region" },
  ),
);
const field: fc.Arbitrary<FormField> = fc.record({
  id: fc.constantFrom("one"),
  label: hostileText,
  hint: hostileText,
  placeholder: hostileText,
  isOptional: fc.boolean(),
  isMore: fc.boolean(),
  redraws: fc.boolean(),
  input,
});

const common = fc.record({
  notes: fc.array(hostileText, { maxLength: 3 }),
  isMore: fc.boolean(),
  asksWhere: fc.constantFrom("write", "read", "link", undefined),
  generations: fc.constantFrom({}, { name: 3 }),
});

holds("a form with anything in its fields", fc.tuple(values, common), ([typed, more]) => {
  expectFormFits(form({ ...more, values: typed }));
});

holds(
  "a form with fields of any words",
  fc.tuple(field, hostileText, hostileText, common),
  ([one, value, title, more]) => {
    expectFormFits(form({ ...more, form: { title, submit: title }, fields: [one], values: { one: value } }));
  },
);

test("a form in which every value and sentence is long breaks no limit", () => {
  for (const text of long) {
    const typed = Object.fromEntries(fields.map(({ id }) => [id, text]));
    const notes = Array.from({ length: 50 }, () => text);
    expectFormFits(form({ values: typed, notes, asksWhere: "write", form: { title: text, submit: text } }));
  }
  expect(long.length).toBeGreaterThan(3);
});

test("whatever a form sends is read, or refused as a whole", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (state) => {
      const read = StateValues.safeParse(state);

      if (read.success) for (const value of Object.values(valuesIn(read.data))) expect(typeof value).toBe("string");
    }),
  );
});

const verdict: fc.Arbitrary<Exclude<Verdict, { kind: "refuse" }>> = fc.oneof(
  hostileText.map((rule) => ({ kind: "allow" as const, rule })),
  hostileText.map((rule) => ({ kind: "break-glass" as const, rule })),
  fc.tuple(hostileText, fc.nat(3)).map(([text, votes]) => {
    const from = { users: [text], groups: [text, text], channelMembers: votes === 0 };
    return { kind: "approve" as const, rule: text, terms: { ...terms, votes, from } };
  }),
);
const change: fc.Arbitrary<Change> = fc
  .record({ name: hostileText, region: hostileText, diff: fc.array(hostileText, { maxLength: 20 }) })
  .map(({ name, region, diff }) => ({
    call: { op: "restartService", path: { region, service_name: name }, query: undefined, body: undefined },
    workload: { kind: "service", region, name, uid: undefined },
    before: undefined,
    diff,
  }));
const approvers = fc.option(fc.record({ names: fc.array(hostileText, { maxLength: 9 }), count: fc.nat(20) }), {
  nil: undefined,
});

holds("a preview", fc.record({ change, verdict, approvers }), (preview) => {
  const above = previewBlocks({ ...preview, defaultRegion: "us" });

  expectFormFits(form({ above }));
  expectFormFits(endView({ title: "Preview", post: { blocks: above } }));
});

holds("what stands there while one waits", fc.tuple(hostileText, hostileText), ([title, sentence]) => {
  expectFormFits(skeletonView({ title, sentence }));
});

holds(
  "what pickers offer",
  fc.record({
    services: fc.option(lately, { nil: undefined }),
    jobs: fc.option(lately, { nil: undefined }),
    region: hostileText,
    query: hostileText,
    problems: fc.array(hostileText, { maxLength: 2 }),
  }),
  (asked) => {
    expectSuggestionFits(workloadOptions({ ...asked, now }));
    const names = asked.services?.entries.map(({ name }) => name) ?? [];
    expectSuggestionFits(instanceOptions({ query: asked.query, names }));
    expectSuggestionFits(regionOptions({ query: asked.query, regions: names }));
  },
);

holds(
  "changes that are offered",
  fc.tuple(fc.array(hostileChange, { maxLength: 3 }), hostileText),
  ([changes, query]) => {
    expectSuggestionFits(changeOptions({ changes, query }));
  },
);

const cardActions = { mayDo: offeredVerbs(commands), isShared: false };

holds("a card with its buttons", fc.tuple(hostileService, hostileJob, hostileText), ([service, job, region]) => {
  expectFits(serviceCard({ service, region, now, actions: cardActions }));
  expectFits(jobCard({ job, region, now, actions: cardActions }));
});

test.each(long.map((text) => [text.slice(0, 12), text]))(
  "a card in which all is %s… has room for buttons",
  (_, text) => {
    const many = Array.from({ length: 200 }, () => text);
    const containers = many.map((name) => ({ name, image: name, command: many, env: [{ name }] }));
    for (const count of [1, 200]) {
      const service = {
        name: text.slice(0, 255),
        status: text,
        binding_domain_name: many,
        containers: containers.slice(0, count),
      };
      expectFits(serviceCard({ service, region: text.slice(0, 100), now, actions: cardActions }));
    }
    expect(containers).toHaveLength(200);
  },
);

holds("a mistake with a form", fc.tuple(hostileText, hostileText), ([text, region]) => {
  const opening = { verb: "scale", values: { name: text }, region };

  expectFits(mistakeWithForm(new UserError(text, { usage: text }), opening, command));
  expectFits(post("x", actions(openButton(text, opening))));
});

test("a button whose form does not fit into it is left out", () => {
  expect(openButton("Scale", { verb: "scale", values: { name: "x".repeat(2000) } })).toBeUndefined();
});
