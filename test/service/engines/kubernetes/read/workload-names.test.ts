import fc from "fast-check";
import { expect, test } from "vitest";
import { Refusal } from "../../../../../src/service/engine.ts";
import { nameApart } from "../../../../../src/service/engines/kubernetes/read/workload-names.ts";

const named = (...workloads: readonly string[]) =>
  nameApart(
    "service",
    workloads.map((text) => {
      const [namespace = "", name = ""] = text.split("/");
      return { name, namespace, item: text };
    }),
  );
const shown = (...workloads: readonly string[]) => named(...workloads).all.map(({ name }) => name);

test.each<[string, readonly string[], readonly string[]]>([
  ["different names", ["shop/web", "pay/api"], ["web", "api"]],
  ["the same name twice", ["shop/web", "pay/web", "pay/api"], ["web.shop", "web.pay", "api"]],
  ["kinds that are told apart", ["shop/db", "shop/db.statefulset", "pay/db"], ["db.shop", "db.statefulset", "db.pay"]],
  ["a plain name like another's long one", ["a/web.pay", "shop/web", "pay/web"], ["web.pay.a", "web.shop", "web.pay"]],
  ["one like its own long name", ["a/web.a", "a/web", "b/web"], ["web.a.a", "web.a", "web.b"]],
])("%s", (_, workloads, names) => {
  expect(shown(...workloads)).toEqual(names);
});

test("no name is ever given twice, each finds its own, and one namespace changes no name", () => {
  const some = fc.uniqueArray(
    fc.tuple(fc.constantFrom("a", "b", "web"), fc.constantFrom("web", "web.a", "web.b", "web.web", "web.a.b", "a")),
    { selector: (pair) => pair.join("/") },
  );
  fc.assert(
    fc.property(some, (pairs) => {
      const workloads = pairs.map((pair) => pair.join("/"));
      const names = named(...workloads);
      expect(new Set(names.all.map(({ name }) => name)).size).toBe(workloads.length);
      expect(names.all.map(({ name }) => names.find(name)?.item)).toEqual(workloads);
      const ofOne = pairs.filter(([namespace]) => namespace === "a");
      expect(shown(...ofOne.map((pair) => pair.join("/")))).toEqual(ofOne.map(([, name]) => name));
    }),
  );
});

test("a name that several have is refused with the names that they have now, and so is one from before", () => {
  const both = named("shop/web", "pay/web", "pay/api");

  expect(() => both.find("web")).toThrow(
    new Refusal(400, "there are several services named web: use web.shop or web.pay"),
  );
  expect(both.isTaken("web")).toBe(true);
  expect(both.find("absent")).toBeUndefined();
  expect(both.isTaken("absent")).toBe(false);
  expect(() => named("shop/web").find("web.shop")).toThrow(new Refusal(400, "web.shop is named web now: use web"));
});
