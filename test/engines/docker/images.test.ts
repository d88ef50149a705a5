import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { machineClock } from "../../../src/platform/clock.ts";
import type { OpenedEngine } from "../../../src/service/engine.ts";
import { findDaemon } from "../../../src/service/engines/docker/daemon/find-daemon.ts";
import { openDockerEngine } from "../../../src/service/engines/docker/docker-engine.ts";
import { PULL_LIMITS, type PullLimits } from "../../../src/service/engines/docker/images/pull-progress.ts";
import { userOf } from "../../service/engines/process/support/engine-world.ts";
import { type TestDaemon, testDaemons } from "../../support/docker.ts";
import { type Fault, faultyRegistry, type FaultyRegistry } from "../../support/faulty-registry.ts";
import { distrust, LOGIN, noRegistry, startRegistry, type TestRegistry } from "../../support/registry.ts";
import { until } from "../../support/until.ts";

for (const daemon of await testDaemons()) {
  const missing = daemon.missing ?? noRegistry() ?? (await distrust(daemon));
  describe.skipIf(missing !== undefined)(`images on ${daemon.title} (${missing ?? "a real registry"})`, () => {
    stories(daemon);
  });
}

function stories(daemon: TestDaemon): void {
  let registry: TestRegistry;
  let guarded: TestRegistry;
  const closing: (() => Promise<unknown>)[] = [];
  let names = 0;
  const newName = (): string => `test/app-${process.pid}-${(names += 1)}:1`;

  beforeAll(async () => {
    registry = await startRegistry();
    guarded = await startRegistry({ asksForLogin: true });
  });

  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  afterAll(async () => {
    await registry.stop();
    await guarded.stop();
  });

  /** Closed with its workloads after the test. */
  async function openEngine(
    options: { readonly limits?: Partial<PullLimits>; readonly files?: readonly string[] } = {},
  ) {
    const found = await findDaemon(
      { dockerHost: daemon.host, tls: { isVerified: false, certPath: undefined } },
      { clock: machineClock },
    );
    const opened: OpenedEngine = await openDockerEngine({
      clock: machineClock,
      dataDir: mkdtempSync(join(tmpdir(), "gantry-images-")),
      regions: ["us"],
      found,
      graceSeconds: 1,
      backOffMs: { first: 100, max: 500 },
      quotas: { userInstances: 50, hostInstances: 50, userMemoryMib: 1_000_000, hostMemoryMib: 1_000_000 },
      credentialFiles: options.files ?? [],
      pullLimits: { ...PULL_LIMITS, ...options.limits },
    });
    closing.push(() => opened.close());
    return userOf(opened.engine, "dana", "us");
  }

  /** An image that goes from the daemon again after the test. */
  async function pushed(to: TestRegistry, more: { version?: string; extraMb?: number; isForeign?: boolean } = {}) {
    const image = await to.push({ name: newName(), ...more });
    forgetLater(image);
    return image;
  }

  function forgetLater(image: string): void {
    closing.unshift(() => daemon.call({ method: "DELETE", path: `/images/${image}?force=1` }));
  }

  async function behind(fault: Fault): Promise<FaultyRegistry> {
    const line = await faultyRegistry(registry, fault);
    closing.push(() => line.close());
    return line;
  }

  const through = (line: FaultyRegistry, image: string): string => {
    const same = image.replace(registry.host, line.host);
    forgetLater(same);
    return same;
  };

  const cat = { command: ["sh", "-c", "trap 'exit 0' TERM; cat /version; sleep 1000000 & wait"] };
  const service = (image: string) => ({ containers: [{ image, ...cat }], target_instance_size: 1 });

  /** The message of a service as soon as it has one that fits. */
  async function messageOf(dana: Awaited<ReturnType<typeof openEngine>>, name: string, fits: RegExp) {
    let message = "";
    await until(async () => {
      message = (await dana.read(name)).message ?? "";
      return fits.test(message);
    });
    return message;
  }

  const logOf = async (dana: Awaited<ReturnType<typeof openEngine>>, name: string) =>
    (await dana.logs(name, { size: 100 })).map(({ log }) => log).toReversed();

  test("a service runs an image that only the registry has, and its log says that it was pulled", async () => {
    const dana = await openEngine();
    const image = await pushed(registry, { version: "from the registry\n" });
    await dana.create("shop", { ...service(image), target_instance_size: 3 });

    await dana.reaches("shop", "Running");
    await until(async () => (await logOf(dana, "shop")).filter((line) => line === "from the registry").length === 3);

    const pulls = (await logOf(dana, "shop")).filter((line) => line.startsWith("[gantry] pulling"));
    expect(new Set(pulls)).toEqual(new Set([`[gantry] pulling the image ${image}`]));
    expect(await dana.read("shop")).not.toHaveProperty("message");
  });

  test("a job that pulls each time runs what was pushed last", async () => {
    const dana = await openEngine();
    const name = newName();
    const run = async (job: string, version: string) => {
      const image = await registry.push({ name, version });
      forgetLater(image);
      await dana.createJob(job, { containers: [{ image, command: ["cat", "/version"], pull_always: true }] });
      await dana.ends(job);
      return await dana.jobLogs(job);
    };

    expect(await run("first", "one\n")).toContain("one");
    expect(await run("second", "two\n")).toContain("two");
  });

  test("a service tells the digest of what runs, also after its tag was moved", async () => {
    const dana = await openEngine();
    const name = newName();
    const push = (version: string) => registry.push({ name, version });
    const digestIn = async () => (await dana.read("shop")).containers?.[0]?.image_digest;
    const digestAt = async (image: string) => {
      const [host = "", ...path] = image.replace(/:1$/u, "").split("/");
      const headers = {
        accept: "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json",
      };
      const answer = await fetch(`http://${host}/v2/${path.join("/")}/manifests/1`, { method: "HEAD", headers });
      return answer.headers.get("docker-content-digest");
    };
    const image = await push("one\n");
    forgetLater(image);
    await dana.create("shop", service(image));
    await dana.reaches("shop", "Running");
    const first = await digestAt(image);
    expect(await digestIn()).toBe(first);

    await push("two\n");
    await daemon.call({ method: "POST", path: `/images/create?fromImage=${image}` });
    const second = await digestAt(image);
    expect(second).not.toBe(first);
    expect(await digestIn()).toBe(first);

    await dana.restart("shop");
    await until(async () => (await digestIn()) === second);
  });

  test("an image that doesn't exist is the message of a failed service, and of a job, within seconds", async () => {
    const dana = await openEngine();
    const image = `${registry.host}/test/none:1`;
    await dana.create("shop", service(image));
    await dana.createJob("nightly", { containers: [{ image }] });

    await dana.reaches("shop", "Failed");
    await until(async () => (await dana.readJob("nightly")).message?.includes("couldn't") === true);

    const why = `couldn't be started: there is no image ${image}`;
    expect((await dana.read("shop")).message).toBe(`shop-0 ${why}`);
    expect((await dana.readJob("nightly")).message).toBe(why);
  });

  test("an image of another kind of machine is refused by name", async () => {
    const dana = await openEngine();
    const image = await pushed(registry, { isForeign: true });
    await dana.create("shop", service(image));

    expect(await messageOf(dana, "shop", /couldn't/)).toBe(
      `shop-0 couldn't be started: the image ${image} doesn't exist for this machine's platform`,
    );
  });

  test("a registry that wants credentials gets those of the machine's login", async () => {
    const image = await pushed(guarded, { version: "private\n" });
    const folder = mkdtempSync(join(tmpdir(), "gantry-login-"));
    const files = [join(folder, "config.json")];
    const logIn = (password: string): void => {
      const auth = Buffer.from(`${LOGIN.username}:${password}`).toString("base64");
      writeFileSync(join(folder, "config.json"), JSON.stringify({ auths: { [guarded.host]: { auth } } }));
    };
    const dana = await openEngine({ files });
    await dana.create("shop", service(image));

    const nobody = await messageOf(dana, "shop", /wants credentials/);
    logIn("wrong");
    const wrong = await messageOf(dana, "shop", /refused/);
    logIn(LOGIN.password);
    await dana.reaches("shop", "Running");

    const login = `run "${daemon.kind} login ${guarded.host}" on the machine`;
    expect(nobody).toBe(`shop-0 couldn't be started: the registry ${guarded.host} wants credentials: ${login}`);
    expect(wrong).toContain(`the registry ${guarded.host} refused the machine's credentials: ${login}`);
    expect((await logOf(dana, "shop")).join("\n")).not.toContain(LOGIN.password);
  });

  test("a registry that is away is the reason", async () => {
    const line = await behind("none");
    const { host } = line;
    const image = through(line, await pushed(registry));
    await line.close();
    const dana = await openEngine();
    await dana.create("shop", service(image));

    expect(await messageOf(dana, "shop", /couldn't/)).toBe(
      `shop-0 couldn't be started: the registry ${host} can't be reached for ${image} (connection refused)`,
    );
  });

  test.for([
    ["doesn't answer", "silent", "hasn't answered for 1 s"],
    ["stops in the middle of a layer", "stalled", "has sent nothing for 1 s"],
  ] as const)("a registry that %s is given up, and the next pull succeeds", async ([, fault, why]) => {
    const line = await behind(fault);
    const image = through(line, await pushed(registry, { extraMb: 2 }));
    const dana = await openEngine({ limits: { answer: 1_000, data: 1_000 } });
    await dana.create("shop", service(image));

    const waiting = await messageOf(dana, "shop", /waiting/);
    const message = await messageOf(dana, "shop", /couldn't/);
    line.fault = "none";
    await dana.reaches("shop", "Running");

    expect(waiting).toBe(`shop-0 is waiting: pulling the image ${image}`);
    expect(message).toContain(`shop-0 couldn't be started: the registry ${line.host} ${why}`);
  });

  test("a line that breaks is tried again until the image is there", async () => {
    const line = await behind("cut");
    const image = through(line, await pushed(registry, { extraMb: 2 }));
    const dana = await openEngine();
    await dana.create("shop", service(image));

    await until(() => line.begun() > 0);
    line.fault = "none";
    await dana.reaches("shop", "Running");
    expect(await dana.read("shop")).not.toHaveProperty("message");
  });

  test("deleting what waits for its image cancels the pull", async () => {
    const line = await behind("stalled");
    const image = through(line, await pushed(registry, { extraMb: 2 }));
    const dana = await openEngine();
    await dana.create("shop", service(image));
    await dana.createJob("nightly", { containers: [{ image }] });
    await until(() => line.open() > 0);

    await dana.remove("shop");
    await dana.removeJob("nightly");

    await until(async () => (await dana.list()).services.length + (await dana.listJobs()).jobs.length === 0);
    // Docker gives the download up as well, but keeps its silent connection.
    if (daemon.kind === "podman") await until(() => line.open() === 0);
    expect((await daemon.call({ method: "GET", path: `/images/${image}/json` })).status).toBe(404);
  });

  test("the service closes while a pull goes nowhere", async () => {
    const line = await behind("silent");
    const dana = await openEngine();
    await dana.create("shop", service(through(line, await pushed(registry))));
    await messageOf(dana, "shop", /waiting/);

    // It would never resolve.
    expect(await closing.pop()?.()).toBeUndefined();
  });
}
