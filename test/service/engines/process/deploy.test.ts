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
  await dana.update("web", { revision: tags.length + 1 });
  await dana.reaches("web", "Running");
  await leave();

  expect(failures).toEqual([]);
  expect(new Set(answers)).toEqual(new Set(["1", ...tags]));
  expect(answers.at(-1)).toBe(tags.at(-1));
  await opened.close();
});
