import { describe, expect, test } from "vitest";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { severalOf } from "../../../../src/bot/commands/grammar/several.ts";
import { refusal } from "../support/refusal.ts";

describe("words for several workloads become one Ask", () => {
  test.each<[string, object]>([
    ["restart web worker", { names: ["web", "worker"] }],
    ["restart web worker --reason leak --region us", { names: ["web", "worker"] }],
    ["stop --reason leak web worker", { names: ["web", "worker"] }],
    ['restart "shop-*"', { names: ["shop-*"] }],
    ["restart shop-* web", { names: ["shop-*", "web"] }],
    ["delete job/report-* service/web", { names: ["job/report-*", "service/web"] }],
    ["restart service job/web", { names: ["service", "job/web"] }],
    ["restart statefulsets db service/web", { names: ["statefulset/db", "service/web"] }],
    ["restart web slow", { names: ["web", "slow"] }],
    ["restart web web worker web", { names: ["web", "worker"] }],
    ["start web", { name: "web" }],
    ["start in --reason slow", { name: "in" }],
    ["restart web web", { name: "web" }],
    ["restart service/all", { name: "service/all" }],
    ["restart all-in-one", { name: "all-in-one" }],
  ])("%s", (text, args) => {
    expect(parseText(text).ask.args).toEqual(args);
  });

  test.each<[string, object]>([
    ["deploy web worker 1.5", { names: ["web", "worker"], image: "1.5" }],
    ["deploy web, worker and queue 1.5", { names: ["web", "worker", "queue"], image: "1.5" }],
    ["deploy web v2 to 1.5", { names: ["web", "v2"], image: "1.5" }],
    ["deploy web worker to shop/app:1.5", { names: ["web", "worker"], image: "shop/app:1.5" }],
    ['deploy "shop-*" 1.5 --on-failure stop', { names: ["shop-*"], image: "1.5", "on-failure": "stop" }],
    ["deploy service web 1.5", { name: "service/web", image: "1.5" }],
    ["deploy service web worker 1.5", { names: ["service/web", "worker"], image: "1.5" }],
    ["deploy web web 1.5", { name: "web", image: "1.5" }],
    ["deploy web to 1.5", { name: "web", image: "1.5" }],
    ["deploy web worker", { name: "web", image: "worker" }],
    ["deploy web worker :queue", { names: ["web", "worker"], image: ":queue" }],
    ["rollback web worker", { names: ["web", "worker"] }],
    ['rollback "shop-*"', { names: ["shop-*"] }],
    ["rollback web 3", { name: "web", revision: "3" }],
    ["rollback service web 3", { name: "service/web", revision: "3" }],
    ["rollback web", { name: "web" }],
  ])("%s: what follows the names is the same for all", (text, args) => {
    expect(parseText(text).ask.args).toEqual(args);
  });

  test("the flags count for all of them", () => {
    const { ask } = parseText("restart web worker --reason leak --region us --break-glass");

    expect(ask).toMatchObject({ verb: "restart", reason: "leak", region: "us", breakGlass: true });
    expect(severalOf(ask)?.map(({ typed, isPattern }) => [typed, isPattern])).toEqual([
      ["web", false],
      ["worker", false],
    ]);
  });

  test("a name is a name, and a star makes it a pattern of one kind or both", () => {
    const { ask } = parseText("delete job/report-* shop-* service/web");

    expect(severalOf(ask)?.map(({ target, isPattern }) => [target, isPattern])).toEqual([
      [{ kind: "job", name: "report-*" }, true],
      [{ kind: undefined, name: "shop-*" }, true],
      [{ kind: "service", name: "web" }, false],
    ]);
  });
});

describe("what can't be a request for several workloads is refused with what to do", () => {
  const all =
    'I don\'t act on everything at once. | Name the workloads, or use a pattern like `"shop-*"`. | restart NAME… | restart web';

  test.each(["all", "All", "everything", "*", "'***'", "service/*", "web all", "web *"])("restart %s", (words) => {
    expect(refusal(`restart ${words}`)).toBe(all);
  });

  test.each([
    ["restart web a/b", "Not a workload name. Write `web`, `service/web` or `job/web`."],
    ["restart web ../x", "Not a workload name. Write `web`, `service/web` or `job/web`."],
    ["restart web worker --size 3", "I don't know the flag `--size`."],
    ["deploy web 1.5 worker", "The image has to be the last word. | Write `deploy web worker 1.5`."],
    ["deploy shop-*", 'Name the image or its tag. | Write it last, as in `deploy "shop-*" 1.5`.'],
    ["deploy web worker 'a b'", "IMAGE isn't an image or a tag."],
    ["rollback web worker 3", "Each workload counts its own versions. | Roll them back one by one"],
  ])("%s", (text, message) => {
    expect(refusal(text)).toContain(message);
  });

  test("more than 20 names", () => {
    const names = Array.from({ length: 21 }, (_, at) => `w${at}`).join(" ");

    expect(refusal(`restart ${names}`)).toMatch(
      /^You named 21 workloads, and I act on at most 20 at once\. Nothing was changed\. \| Split the request/u,
    );
  });
});
