import { describe, expect, test } from "vitest";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import { report, service, web } from "../../views/support/workloads.ts";
import { prefilled } from "../support/form-of.ts";
import { ableEngine, allow, refuse, type Script } from "../support/script.ts";

describe("a form looks at the workload that it is about", () => {
  test("scale shows how many instances there are, with one call", async () => {
    const { notes, values, calls } = await prefilled("scale", { name: "service/web" }, { services: [web] });

    expect(notes).toEqual(["🟢 web · running · 3 instances"]);
    expect(values).toEqual({ size: "3" });
    expect(calls).toEqual(["getService"]);
  });

  test.each(["scale", "memory", "domains", "stop", "delete"])("%s without a name asks nobody", async (verb) => {
    expect(await prefilled(verb, {})).toEqual({ notes: [], values: {}, calls: [], asked: [] });
  });

  test("no form reads anything before a workload is chosen in it", async () => {
    const verbs = commands.flatMap(({ name, form }) => (form === undefined ? [] : [name]));
    const calls = await Promise.all(verbs.map(async (verb) => [verb, (await prefilled(verb, {})).calls] as const));

    expect(verbs.length).toBeGreaterThan(10);
    expect(calls.filter(([, made]) => made.length > 0)).toEqual([]);
  });

  test("create fills in the region that the service would get, without a call", async () => {
    const { values, calls } = await prefilled("create", {});

    expect(values).toEqual({ region: "beijing1" });
    expect(calls).toEqual([]);
  });

  test("memory shows the limit of the one container, or of all with what to do", async () => {
    const two = service("two", { containers: [{ name: "app", resources: { limits: { memory: "512" } } }, {}] });

    const one = await prefilled("memory", { name: "service/web" }, { services: [web], engine: ableEngine });
    const several = await prefilled("memory", { name: "service/two" }, { services: [two], engine: ableEngine });

    expect(one).toMatchObject({ notes: ["web · now 512 MiB for each instance"], values: { mib: "512" } });
    expect(several.notes).toEqual([
      "two has 2 containers: app (512 MiB), unnamed (memory not reported). Enter one of them under “Container” in “More settings”.",
    ]);
    expect(several.values).toEqual({});
  });

  test("memory says which sizes the workload API takes, if it doesn't say that it takes any", async () => {
    const { notes } = await prefilled("memory", { name: "service/web" }, { services: [web] });

    expect(notes).toEqual([
      "web · now 512 MiB for each instance",
      "The workload API takes a memory limit of 256, 512, 1024 or 2048 MiB.",
    ]);
  });

  test("domains shows the list as it is, and refuses one that it could show in part only", async () => {
    const many = service("many", {
      binding_domain_name: Array.from({ length: 150 }, (_, at) => `number-${at}.shop.example.com`),
    });

    const shown = await prefilled("domains", { name: "service/web" }, { services: [web] });

    expect(shown).toMatchObject({
      notes: ["web has 1 domain now."],
      values: { domains: "shop.example.org" },
    });
    await expect(prefilled("domains", { name: "service/many" }, { services: [many] })).rejects.toThrow(
      "many has 150 domains, too many for a form.",
    );
  });

  test.each([
    ["stop", "Running", "Stops all 3 instances. Its settings are kept, so you can start it again."],
    ["stop", "Stopped", "Already stopped. Nothing to do."],
    ["stop", "Idle", "Stops all 3 instances. Its settings are kept, so you can start it again."],
    ["start", "Stopped", "Starts with 3 instances."],
    ["start", "Running", "Already running. Nothing to do."],
    ["restart", "Running", "Restarts all 3 instances. Causes a short interruption."],
  ])("%s of a service that is %s says what follows", async (verb, status, sentence) => {
    const { notes } = await prefilled(verb, { name: "service/web" }, { services: [service("web", { status })] });

    expect(notes).toEqual([
      `${status === "Running" ? "🟢" : "⚪️"} web · ${status.toLowerCase()} · 3 instances`,
      sentence,
    ]);
  });

  test("delete says what goes, to who may see it", async () => {
    const script: Script = {
      services: [web],
      jobs: [report],
      permissions: ({ op }) => (op === "getJob" ? refuse : allow),
    };

    const goes = await prefilled("delete", { name: "service/web" }, script);

    expect(goes.notes).toEqual(["⚠️ Permanently deletes web (3 running instances, 1 domain)."]);
    await expect(prefilled("delete", { name: "job/report" }, script)).rejects.toThrow("No rule lets a guest do this.");
    await expect(prefilled("delete", { name: "report" }, script)).rejects.toThrow("There is no service named report");
    expect((await prefilled("delete", { name: "job/report" }, { jobs: [report] })).notes).toEqual([
      "⚠️ Permanently deletes job report (complete), with 1 instance and its logs.",
    ]);
  });

  test("a service is judged as a look before anything of it is shown, whoever may change it", async () => {
    const script: Script = { services: [web], permissions: ({ op }) => (op === "getService" ? refuse : allow) };

    for (const name of ["web", "service/web"]) {
      await expect(prefilled("scale", { name }, script)).rejects.toThrow("No rule lets a guest do this.");
    }
  });

  test("a name that nothing has is answered as words are", async () => {
    await expect(prefilled("scale", { name: "service/wbe" }, { services: [web] })).rejects.toThrow(
      "There is no service named wbe in beijing1.",
    );
  });
});
