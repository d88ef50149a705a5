import type { ServerResponse } from "node:http";
import type { FakeOptions } from "./fake-api-server.ts";
import type { Change, FakeObjects } from "./fake-objects.ts";
import { failure, type KubeRequest, selectorOf, statusOf } from "./fake-protocol.ts";

export type FakeWatches = {
  readonly open: (asked: KubeRequest, response: ServerResponse) => void;
  readonly count: () => number;
  readonly cut: () => void;
  readonly end: () => void;
  readonly silence: () => void;
  readonly bookmark: () => void;
};

type Watch = { readonly response: ServerResponse; readonly bookmark: () => void; readonly silence: () => void };

export function makeFakeWatches(objects: FakeObjects, options: FakeOptions): FakeWatches {
  const watches = new Set<Watch>();
  const each = (act: (watch: Watch) => void) => () => {
    for (const watch of watches) act(watch);
  };
  return {
    count: () => watches.size,
    cut: each(({ response }) => response.socket?.resetAndDestroy()),
    end: each(({ response }) => response.end()),
    silence: each((watch) => watch.silence()),
    bookmark: each((watch) => watch.bookmark()),
    open(asked, response) {
      const { query, resource } = asked;
      const version = query.get("resourceVersion") ?? "";
      const isSelected = selectorOf(query.get("labelSelector"));
      if (!/^\d+$/u.test(version) || !isSelected) {
        const message = `resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`;
        failure(response, { status: 400, reason: "BadRequest", message });
        return;
      }
      response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
      if (Number(version) < objects.oldest()) {
        // A real one accepts the watch first, and refuses with an event.
        const message = `too old resource version: ${version} (${objects.oldest()})`;
        response.end(line("ERROR", statusOf({ status: 410, reason: "Expired", message })));
        return;
      }
      const watch = startWatch(response, { asked, objects, options, isSelected });
      watches.add(watch);
      response.on("close", () => watches.delete(watch));
      for (const change of objects.changesSince(Number(version))) {
        if (change.resource === resource) watch.tell(change);
      }
    },
  };
}

/** API servers send one about once a minute. */
const BOOKMARK_EVERY_MS = 60_000;

type Starting = {
  readonly asked: KubeRequest;
  readonly objects: FakeObjects;
  readonly options: FakeOptions;
  readonly isSelected: (labels: Readonly<Record<string, string>>) => boolean;
};

function startWatch(response: ServerResponse, { asked, objects, options, isSelected }: Starting) {
  const { query, resource, namespace } = asked;
  const since = Number(query.get("resourceVersion"));
  let isSilent = false;
  const say = (type: string, object: object): void => {
    if (!isSilent) response.write(line(type, object));
  };
  const tell = (change: Change): void => {
    if (change.resource !== resource || change.object.metadata.namespace !== namespace) return;
    if (change.version <= since) return;
    const type = eventType(change, isSelected);
    if (type) say(type, change.object);
  };
  const bookmark = (): void => {
    if (query.get("allowWatchBookmarks") !== "true") return;
    const version = Math.max(since, objects.version());
    say("BOOKMARK", { metadata: { resourceVersion: String(version), creationTimestamp: null } });
  };
  const { secondMs = 1_000 } = options;
  const bookmarks = setInterval(bookmark, BOOKMARK_EVERY_MS);
  const seconds = Number(query.get("timeoutSeconds")) || 1_800;
  const ending = setTimeout(() => response.end(), seconds * secondMs);
  const forget = objects.onChange(tell);
  response.on("close", () => {
    clearInterval(bookmarks);
    clearTimeout(ending);
    forget();
  });
  return { response, tell, bookmark, silence: () => void (isSilent = true) };
}

/** An object whose labels begin or cease to match is added or deleted for this watch. */
function eventType({ object, before, isDeletion }: Change, isSelected: Starting["isSelected"]): string | undefined {
  const was = before !== undefined && isSelected(before.metadata.labels ?? {});
  const is = !isDeletion && isSelected(object.metadata.labels ?? {});
  if (was) return is ? "MODIFIED" : "DELETED";
  return is ? "ADDED" : undefined;
}

function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}
