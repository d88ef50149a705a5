import { describe, expect, test } from "vitest";
import { HOME_PAGE } from "../../../src/bot/views/home/state.ts";
import { drawnHome } from "./support/drawn.ts";
import { entries, flaky, home, mayAll, running, workload } from "./support/home.ts";
import { expectHomeTaken } from "./support/judges.ts";
import { stored } from "./support/stored-changes.ts";

describe("many workloads", () => {
  test("are shown by name, 20 at a time", () => {
    const services = entries(213);

    const [first, second, last] = [0, 1, 10].map((page) => drawnHome(home({ services, page })));

    expect(first).toContain("213 workloads · 213 healthy");
    expect(first).toContain("1–20 of 213\n[Next 20]");
    expect(second).toContain("🟢 *w-0021* 2 of 2");
    expect(second).toContain("21–40 of 213\n[Previous] [Next 20]");
    expect(last).toContain("201–213 of 213\n[Previous]\n");
    expect(last).not.toContain("[Next");
  });

  test("are counted by how they are", () => {
    const stopped = entries(667, ["idle", "stopped"]).map((each) => ({ ...each, name: `s-${each.name}` }));

    expect(drawnHome(home({ services: [...entries(1_333), ...stopped] }))).toContain(
      "2,000 workloads · 1,333 healthy · 667 stopped or complete",
    );
  });

  test("a page beyond the end is the last one, and the next click starts from there", () => {
    const view = home({ services: entries(25), page: 7 });

    expect(drawnHome(view)).toContain("21–25 of 25");
    expect(view.private_metadata).toBe('{"page":1}');
  });

  test("one page needs no buttons", () => {
    expect(drawnHome(home({ services: entries(HOME_PAGE) }))).not.toMatch(/ of 20|\[Next/u);
  });

  test("a service and a job of one name have a row each; a name listed twice has one", () => {
    const services = [workload("web", running), workload("web", running)];

    const view = home({ services, jobs: [workload("web", running)] });

    expectHomeTaken(view);
    expect(drawnHome(view).match(/\*web\*/gu)).toHaveLength(2);
    expect(drawnHome(view)).toContain("2 workloads · 2 healthy");
  });

  test("with 2,000 failing services, 200-character names and 50 requests, Home fits", () => {
    const long = entries(2000, ["failing", "failed"]).map((each) => ({ ...each, name: each.name.padEnd(200, "x") }));
    const many = (prefix: string) =>
      Array.from({ length: 50 }, (_, at) => stored({ id: `${prefix}${at}`, diff: Array(50).fill("x".repeat(200)) }));
    const mayDo = mayAll(...long.map(({ name }) => `service/${name}`));
    const state = { services: long, jobs: long, waiting: many("W"), mine: many("M"), mayDo, page: 1 };

    const view = home(state);

    expectHomeTaken(view);
    const text = drawnHome(view);
    expect(text).toContain("4,000 workloads · 4,000 failing");
    expect(text).toContain("3,992 more workloads are not healthy");
    expect(text).toContain("[44 more …]");
  });
});

describe("the headline", () => {
  const failing = workload("shop", ["failing", "failed"]);
  const first = (given: Parameters<typeof home>[0]) => drawnHome(home(given)).split("\n")[0];

  test.each([
    ["# 2 failing · 1 waits for you", { services: [failing, flaky], waiting: [stored()] }],
    ["# 1 failing", { services: [failing, workload("web", running)] }],
    ["# 2 wait for you", { services: [workload("web", running)], waiting: [stored(), stored({ id: "BBBBBB" })] }],
    ["# 1 or more wait for you", { waiting: [stored()], mayWaitMore: true }],
    ["# Nothing is failing", { services: [workload("web", running)] }],
    ["# Nothing is failing · 1 not ready yet", { services: [workload("web", ["busy", "starting"])] }],
  ])("%s", (headline, given) => {
    expect(first(given)).toBe(headline);
  });

  test.each([
    ["the workload API can't be reached", { services: [workload("web", running)], apiProblem: "It didn't answer." }],
    ["jobs couldn't be read", { services: [workload("web", running)], jobs: undefined }],
    ["the lists are still read", { services: undefined, jobs: undefined, isReading: true }],
  ])("says nothing good while %s", (_why, given) => {
    expect(drawnHome(home(given))).not.toContain("Nothing is failing");
  });
});

test("what needs attention is shown once, above the others, and counts among all", () => {
  const text = drawnHome(home({ services: [flaky, workload("web", running)] }));

  expect(text.match(/flaky/gu)).toHaveLength(1);
  expect(text).toContain("2 workloads · 1 failing · 1 healthy\n🟢 *web*");
});

test("menus only offer what policy allows this person", () => {
  const drawn = drawnHome(
    home({ services: [flaky], mayDo: new Map([["service/flaky", [{ name: "restart", button: "Restart" }]]]) }),
  );

  expect(drawn).toContain("[… Show | Restart]");
  expect(drawn).toContain("[Why]");
  expect(drawn).not.toMatch(/Delete|Logs|Scale|Stop/u);
});

test("a name that Slack would format is shown as it is", () => {
  const drawn = drawnHome(home({ services: [workload("*a* _b_ <!here>", running, { size: "1 of 1" })] }));

  expect(drawn).toContain("🟢 *a* _b_ <!here> 1 of 1");
  const [row] = home({ services: [workload("*a*", running)] }).blocks.filter(({ type }) => type === "section");
  expect(row).toMatchObject({ text: { type: "plain_text" } });
});
