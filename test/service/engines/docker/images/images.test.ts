import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { stillClock } from "../../../../support/test-clock.ts";
import { type Line as PullLine, DaemonError } from "../../../../../src/service/engines/docker/daemon/daemon-answers.ts";
import { makeImages } from "../../../../../src/service/engines/docker/images/images.ts";
import { until } from "../../../../support/until.ts";

/** A daemon whose pulls go on as a test says. */
function scriptedDaemon(has: readonly string[] = []) {
  const present = new Set(has);
  const pulls: {
    readonly image: string;
    readonly signal: AbortSignal;
    readonly say: (line: PullLine | Error) => void;
  }[] = [];
  async function* pullImage(image: string, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<PullLine> {
    const lines: (PullLine | Error)[] = [];
    let next = Promise.withResolvers<void>();
    const say = (line: PullLine | Error): void => {
      lines.push(line);
      next.resolve();
    };
    signal.addEventListener("abort", () => next.resolve());
    pulls.push({ image, signal, say });
    for (;;) {
      if (signal.aborted) throw new DaemonError(undefined, "aborted");
      const line = lines.shift();
      if (line instanceof Error) throw line;
      if (line?.status === "done") {
        present.add(image);
        return;
      }
      if (line) yield line;
      else {
        await next.promise;
        next = Promise.withResolvers();
      }
    }
  }
  const inspectImage = async (image: string) => (present.has(image) ? { id: "sha256:1", digests: [] } : undefined);
  return { pulls, daemon: { pullImage, inspectImage } };
}

function imagesOf({ daemon }: ReturnType<typeof scriptedDaemon>) {
  const clock = stillClock();
  const images = makeImages({
    clock,
    daemon,
    program: "docker",
    credentials: async () => undefined,
  });
  const notes: string[] = [];
  const want = (image: string, { pullAlways = false, signal = new AbortController().signal } = {}) =>
    images.ready(image, { pullAlways, signal, note: (line) => notes.push(line) });
  return { clock, notes, want };
}

test("an image that is there isn't pulled, unless each start asks for it", async () => {
  const docker = scriptedDaemon(["app:1"]);
  const { want, notes } = imagesOf(docker);
  await want("app:1");
  expect([docker.pulls.length, notes]).toEqual([0, []]);

  const pulled = want("app:1", { pullAlways: true });
  await until(() => docker.pulls.length === 1);
  docker.pulls[0]?.say({ status: "done" });
  await pulled;
  expect(notes).toEqual(["pulling the image app:1"]);
});

test("instances that want the same image share its pull; one that stops cancels nothing for the others", async () => {
  const docker = scriptedDaemon();
  const { want } = imagesOf(docker);
  const stop = new AbortController();
  const first = want("app:1", { signal: stop.signal });
  const second = want("app:1");
  await until(() => docker.pulls.length > 0);
  stop.abort(new Error("stopped"));
  await expect(first).rejects.toThrow("stopped");
  expect(docker.pulls[0]?.signal.aborted).toBe(false);
  docker.pulls[0]?.say({ status: "done" });
  await second;
  expect(docker.pulls).toHaveLength(1);
});

test("a pull that nobody waits for any more is cancelled, and the next one begins again", async () => {
  const docker = scriptedDaemon();
  const { want } = imagesOf(docker);
  const stop = new AbortController();
  const stopped = want("app:1", { signal: stop.signal });
  await until(() => docker.pulls.length === 1);
  stop.abort(new Error("stopped"));
  await expect(stopped).rejects.toThrow("stopped");
  expect(docker.pulls[0]?.signal.aborted).toBe(true);

  const again = want("app:1");
  await until(() => docker.pulls.length === 2);
  docker.pulls[1]?.say({ status: "done" });
  await again;
});

test("pulling each time never shares a pull whose registry has answered already: the image may be a newer one", async () => {
  const docker = scriptedDaemon();
  const { want } = imagesOf(docker);
  const before = want("app:1");
  await until(() => docker.pulls.length === 1);
  docker.pulls[0]?.say({ status: "Pulling from library/app", id: "1" });
  await until(async () => {
    const fresh = new AbortController();
    const asked = want("app:1", { pullAlways: true, signal: fresh.signal }).catch(() => undefined);
    await turn();
    fresh.abort();
    await asked;
    return docker.pulls.length > 1;
  });
  docker.pulls[0]?.say({ status: "done" });
  await expect(before).resolves.toBeUndefined();
});

test("an error inside the answer is the reason, and the daemon's own trouble stays what it is", async () => {
  const docker = scriptedDaemon();
  const { want } = imagesOf(docker);
  const refused = want("registry.example/app:1");
  await until(() => docker.pulls.length === 1);
  docker.pulls[0]?.say({ status: "Pulling from app", id: "1" });
  docker.pulls[0]?.say({ error: "manifest unknown: manifest unknown" });
  await expect(refused).rejects.toThrow("there is no image registry.example/app:1");

  const lost = want("app:1");
  await until(() => docker.pulls.length === 2);
  docker.pulls[1]?.say(new DaemonError(undefined, "socket hang up"));
  await expect(lost).rejects.toBeInstanceOf(DaemonError);
});

test("a registry that doesn't answer, or stops sending, is given up with the reason", async () => {
  const docker = scriptedDaemon();
  const { clock, want } = imagesOf(docker);
  const silent = want("registry.example/app:1").catch((error: Error) => error.message);
  await clock.passMs(30_000);
  expect(await silent).toBe("the registry registry.example hasn't answered for 30 s");

  const stalled = want("app:1").catch((error: Error) => error.message);
  await until(() => docker.pulls.length === 2);
  docker.pulls[1]?.say({ status: "Downloading", id: "a", progressDetail: { current: 3_000_000 } });
  docker.pulls[1]?.say({ status: "Retrying in 5 seconds", id: "a" });
  await clock.passMs(60_000);
  expect(await stalled).toBe("Docker Hub has sent nothing for 60 s (0 of 1 layers, 3 MB)");
  expect(docker.pulls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
});

test("a long pull says now and then how far it is", async () => {
  const docker = scriptedDaemon();
  const { clock, want, notes } = imagesOf(docker);
  const pulled = want("app:1");
  await until(() => docker.pulls.length === 1);
  docker.pulls[0]?.say({ status: "Download complete", id: "a" });
  docker.pulls[0]?.say({ status: "Downloading", id: "b", progressDetail: { current: 12_000_000 } });
  await clock.passMs(59_000);
  docker.pulls[0]?.say({ status: "done" });
  await pulled;
  expect(notes).toEqual(["pulling the image app:1", "still pulling the image app:1: 1 of 2 layers, 12 MB"]);
});
