import { expect, test } from "vitest";
import { notFullRun } from "../../../support/full-run.ts";
import { visitor } from "../../../support/visitor.ts";
import { makeDataDir } from "./support/data-dir.ts";
import { greet, openEngine, until, userOf } from "./support/engine-world.ts";

const hello = (tag: string) => [{ image: `gantry/hello-web:${tag}`, ports: [{ port: 8080 }] }];
const web = { containers: hello("1"), port_mappings: [{ container_port: 8080 }], target_instance_size: 2 };

const versionAt = async (address: string) => /version (\w+)/u.exec(await greet(address))?.[1] ?? "none";

// Twenty take less than a minute; `npm test` has to end within three, so there it is three.
const tags = Array.from({ length: notFullRun === undefined ? 20 : 3 }, (_, index) => String(index + 2));

test("versions come and go without a failed request; one that never becomes ready doesn't take over", async () => {
  const opened = await openEngine(makeDataDir());
  const dana = userOf(opened.engine);
  await dana.create("web", web);
  await dana.reaches("web", "Running");
  const { default_domain_name: address = "" } = await dana.read("web");
  const { answers, failures, leave } = visitor(() => versionAt(address));

  for (const tag of tags) {
    await dana.update("web", { containers: [{ image: `gantry/hello-web:${tag}` }] });
    await until(() => answers.at(-1) === tag, `an answer of version ${tag}`);
    await dana.reaches("web", "Running");
  }
  await dana.update("web", { containers: [{ image: "gantry/hello-web:broken" }] });
  await until(async () => (await dana.read("web")).rollout?.state === "stuck", "the rollout to be stuck");
  expect(await dana.read("web")).toMatchObject({
    ready_instances: 2,
    rollout: { from: tags.length + 1, to: tags.length + 2, old_ready: 2 },
    message: "web-0 is waiting: it doesn't answer on its port",
  });
  const [, broken = ""] = (await dana.read("web")).instance_names ?? [];
  await dana.update("web", { revision: tags.length + 1 });
  await dana.reaches("web", "Running");
  const { revision, revisions = [] } = await dana.read("web");
  const same = revisions.filter(({ is_current: isCurrent }) => isCurrent === true).map((each) => each.revision);
  expect(same).toEqual([revision, tags.length + 1]);
  // Its log still has the lines of the version that was broken, and they are of no instance of now.
  const { instance_names: names } = await dana.read("web");
  expect(names).toHaveLength(2);
  expect(names).not.toContain(broken);
  const logged = new Set((await dana.logs("web")).map(({ instance_name: name }) => name));
  expect([...logged]).toEqual(expect.arrayContaining([broken, ...(names ?? [])]));
  await leave();

  expect(failures).toEqual([]);
  expect(new Set(answers)).toEqual(new Set(["1", ...tags]));
  expect(answers.at(-1)).toBe(tags.at(-1));
  await opened.close();
});

test("after a restart, a version that never gets ready takes no instance that it didn't have", async () => {
  const dataDir = makeDataDir();
  const before = await openEngine(dataDir);
  const dana = userOf(before.engine);
  await dana.create("web", web);
  await dana.reaches("web", "Running");
  await dana.update("web", { containers: [{ image: "gantry/hello-web:broken" }] });
  await until(async () => (await dana.read("web")).rollout?.state === "stuck", "the rollout to be stuck");
  await before.close();

  const after = await openEngine(dataDir);
  const again = userOf(after.engine);
  const { default_domain_name: address = "" } = await again.read("web");
  await until(async () => (await again.read("web")).rollout?.state === "stuck", "the rollout to be stuck again");
  const stuck = await again.read("web");
  const { answers, failures, leave } = visitor(() => versionAt(address));
  await until(() => answers.length > 5, "answers");
  await again.update("web", { revision: 1 });
  await again.reaches("web", "Running");
  await leave();

  expect(stuck).toMatchObject({ ready_instances: 2, rollout: { from: 1, to: 2, old_ready: 2, updated: 1 } });
  expect(new Set(answers)).toEqual(new Set(["1"]));
  expect(failures).toEqual([]);
  await after.close();
});
