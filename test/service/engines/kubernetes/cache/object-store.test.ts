import { expect, test } from "vitest";
import { makeObjectStore, type ObjectStore } from "../../../../../src/service/engines/kubernetes/cache/object-store.ts";
import type { WatchEvent } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { kinds, type KubeObject } from "../../../../../src/service/engines/kubernetes/cluster/kinds.ts";

type Pod = KubeObject<"Pod">;

function pod(name: string, resourceVersion: string, more: { uid?: string; deletionTimestamp?: string } = {}): Pod {
  const metadata = { name, uid: `uid of ${name}`, resourceVersion, creationTimestamp: "2026-11-22T10:00:00Z", ...more };
  return kinds.Pod.schema.parse({ metadata, spec: {}, status: {} });
}

const modified = (object: Pod): WatchEvent<"Pod"> => ({ type: "MODIFIED", object });
const deleted = (object: Pod): WatchEvent<"Pod"> => ({ type: "DELETED", object });

/** Filled by a list. */
function storeOf(resourceVersion: string, ...items: readonly Pod[]): ObjectStore<"Pod"> {
  const store = makeObjectStore<"Pod">();
  store.startList()({ items, resourceVersion });
  return store;
}

function versions(store: ObjectStore<"Pod">): Readonly<Record<string, string>> {
  return Object.fromEntries(store.all().map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

test("the answer to a write shows at once, and the watch that lags behind doesn't take it back", () => {
  const store = storeOf("10", pod("web", "8"));

  expect(store.applyWrite(pod("web", "14"))).toBe("changed");
  expect(store.applyEvent(modified(pod("web", "12")))).toBe("same");
  expect(versions(store)).toEqual({ web: "14" });

  store.applyEvent(modified(pod("web", "15")));
  expect(versions(store)).toEqual({ web: "15" });
});

test("an answer that comes later than the watch is ignored", () => {
  const store = storeOf("10", pod("web", "8"));
  store.applyEvent(modified(pod("web", "14")));

  expect(store.applyWrite(pod("web", "12"))).toBe("same");
  expect(versions(store)).toEqual({ web: "14" });
});

test("versions are compared as numbers, not as text", () => {
  const store = storeOf("9", pod("web", "9"));

  store.applyWrite(pod("web", "10"));

  expect(versions(store)).toEqual({ web: "10" });
});

test("an answer to a write before the object's deletion doesn't bring it back", () => {
  const store = storeOf("10", pod("web", "8"));
  store.applyEvent(deleted(pod("web", "14")));

  expect(store.applyWrite(pod("web", "12"))).toBe("same");
  expect(versions(store)).toEqual({});
});

test("a deletion of the old object doesn't remove the new one with its name", () => {
  const store = storeOf("10", pod("web", "8", { uid: "old" }));
  store.applyWrite(pod("web", "14", { uid: "new" }));

  store.applyEvent(deleted(pod("web", "12", { uid: "old" })));
  expect(store.find("web")?.metadata.uid).toBe("new");

  store.applyEvent(deleted(pod("web", "15", { uid: "new" })));
  expect(store.find("web")).toBeUndefined();
});

test("an own deletion shows at once, and events from before it don't bring the object back", () => {
  const store = storeOf("10", pod("web", "8"));

  store.applyDelete({ name: "web", uid: "uid of web" });
  store.applyEvent(modified(pod("web", "12")));

  expect(versions(store)).toEqual({});
});

test("an object that a finalizer holds shows again after its deletion", () => {
  const store = storeOf("10", pod("web", "8"));
  store.applyDelete({ name: "web", uid: "uid of web" });

  store.applyEvent(modified(pod("web", "12", { deletionTimestamp: "2026-11-22T10:00:05Z" })));

  expect(versions(store)).toEqual({ web: "12" });
});

test("a list that was sent before an own deletion doesn't bring the object back, a later one does", () => {
  const store = storeOf("10", pod("web", "8"));
  const early = store.startList();
  store.applyDelete({ name: "web", uid: "uid of web" });

  early({ items: [pod("web", "8")], resourceVersion: "11" });
  expect(versions(store)).toEqual({});

  store.startList()({ items: [pod("web", "12")], resourceVersion: "13" });
  expect(versions(store)).toEqual({ web: "12" });
});

test("objects that vanished are gone after a list; an answer to a write since then stays", () => {
  const store = storeOf("10", pod("web", "8"), pod("worker", "9"));
  const take = store.startList();
  store.applyWrite(pod("shop", "15"));

  take({ items: [pod("worker", "9")], resourceVersion: "12" });
  expect(versions(store)).toEqual({ worker: "9", shop: "15" });

  store.startList()({ items: [pod("worker", "9")], resourceVersion: "16" });
  expect(versions(store)).toEqual({ worker: "9" });
});

test("a list that the watch has overtaken is ignored", () => {
  const store = storeOf("10", pod("web", "8"));
  const take = store.startList();
  store.applyEvent(modified(pod("web", "20")));

  expect(take({ items: [pod("web", "8")], resourceVersion: "12" })).toBe("same");
  expect(versions(store)).toEqual({ web: "20" });
});

test("after the cluster was restored from a backup, a list replaces everything", () => {
  const store = storeOf("10", pod("web", "8"));
  store.applyEvent(modified(pod("web", "50")));
  store.applyWrite(pod("shop", "51"));

  expect(store.startList()({ items: [pod("web", "8")], resourceVersion: "11" })).toBe("unordered");
  expect(versions(store)).toEqual({ web: "8" });
  expect(store.version()).toBe("11");
});

test("versions that aren't numbers are never guessed at: the store asks for a list", () => {
  const store = storeOf("a1", pod("web", "a1"));

  expect(store.applyWrite(pod("web", "b2"))).toBe("unordered");
  expect(versions(store)).toEqual({ web: "a1" });
  expect(store.startList()({ items: [pod("web", "b2")], resourceVersion: "c3" })).toBe("unordered");
  store.applyEvent(modified(pod("web", "d4")));
  expect(versions(store)).toEqual({ web: "d4" });
  expect(store.version()).toBe("d4");
});

test("a bookmark moves the version on and never back", () => {
  const store = storeOf("10");

  store.applyEvent({ type: "BOOKMARK", resourceVersion: "30" });
  store.applyEvent({ type: "BOOKMARK", resourceVersion: "20" });

  expect(store.version()).toBe("30");
});

test("a list without news leaves the objects as they are", () => {
  const web = pod("web", "8");
  const store = storeOf("10", web);

  expect(store.startList()({ items: [pod("web", "8")], resourceVersion: "12" })).toBe("same");
  expect(store.find("web")).toBe(web);
});
