import { describe, expect, test } from "vitest";
import { listen, rest, shell } from "../../../support/container-script.ts";
import { testDaemons } from "../../../support/docker.ts";
import { card, clicks, says } from "../../../support/speak.ts";
import { approved, isRunning } from "../../support/approved.ts";
import { townOnDocker } from "../support/docker-town.ts";

const quoted = (script: string): string => `sh -c "${shell(script)[2]}"`;

for (const daemon of await testDaemons()) {
  const { title, image, missing } = daemon;
  describe.skipIf(missing !== undefined)(`the README's flows on ${title}`, () => {
    test("a service is created, listed, scaled, undone, restarted with an approval, read and deleted", async () => {
      await using town = await townOnDocker(daemon);
      const { developer, approver } = town;
      const script = quoted(`${listen}; echo listening; ${rest}`);

      const create = `/gantry create service web --image ${image} --publish 8080 --memory 512 -- ${script}`;
      // An image that is new here.
      expect(await approved(town, create)).toContain("web");
      await town.until(isRunning(town, "web"));
      expect(await says(town, developer, "/gantry list")).toMatch(/🟢 .*web/u);
      const { port_mappings: mappings } = await town.service("web");
      const page = await fetch(`http://${mappings?.[0]?.service_url}/`);
      expect(await page.text()).toBe("hello\n");

      await says(town, developer, "/gantry scale web 3");
      expect(card(developer)).toContain("nstances 1 → 3");
      await town.until(isRunning(town, "web"));
      expect(await says(town, developer, "/gantry show web")).toMatch(/3 of 3|3 instances/u);
      expect(await town.containers()).toHaveLength(3);

      await clicks(town, developer, "Undo");
      await clicks(town, approver, "Approve");
      await town.until(async () => (await town.containers()).length === 1);
      await town.until(isRunning(town, "web"));

      const [before] = await town.containers();
      expect(await approved(town, "/gantry restart web")).toMatch(/web restarted|restarting web/u);
      await town.until(isRunning(town, "web"));
      const [after, ...others] = await town.containers();
      expect([after?.id === before?.id, others]).toEqual([false, []]);

      await says(town, developer, "/gantry logs web");
      expect(town.thread("ops").join("\n")).toContain("listening");

      expect(await approved(town, "/gantry delete web")).toMatch(/✅ web deleted|🟡 Still deleting web/u);
      await town.until(async () => (await town.services()).length === 0);
      await town.until(async () => (await town.containers()).length === 0);
    });

    test("an error is found in the log by grep, without its secret", async () => {
      await using town = await townOnDocker(daemon);
      const script = quoted(`echo all is well; echo error: no answer, password=hunter2-hunter2; ${rest}`);

      await approved(town, `/gantry create service worker --image ${image} -- ${script}`);
      await town.until(isRunning(town, "worker"));
      await says(town, town.developer, "/gantry logs worker --grep error");

      const thread = town.thread("ops").join("\n");
      expect(thread).toContain("error: no answer");
      expect(thread).not.toContain("all is well");
      expect(thread).not.toContain("hunter2-hunter2");
    });

    test("a job runs to its end, and its log is in the thread", async () => {
      await using town = await townOnDocker(daemon);
      const { developer } = town;

      await approved(town, `/gantry create job hello --image ${image} -- sh -c "echo step 1; echo step 2"`);
      await town.until(async () => (await town.job("hello")).status?.succeeded === 1);
      // The bot draws its card again when it ends, which would make the card the newest message of the channel.
      await town.until(() => card(developer).includes("hello completed"));

      expect(await says(town, developer, "/gantry show hello")).toContain("⚪️ hello · complete");
      await says(town, developer, "/gantry logs job/hello");
      expect(town.thread("ops").join("\n")).toMatch(/step 1[\s\S]*step 2/u);
      await town.until(async () => (await town.containers()).length === 0);
    });
  });
}
