import { expect, test } from "vitest";
import type { FakeOptions } from "../support/fake-api-server.ts";
import { deployment } from "../support/sent-objects.ts";
import { apiTown, asked } from "./support/scripted-cluster.ts";

async function town(warnings: NonNullable<FakeOptions["warnings"]>) {
  const { server, ...writes } = await apiTown({}, { warnings });
  server.objects.put("deployments", "team", deployment("web"));
  const told: string[] = [];
  return { ...writes, request: { ...asked("web"), warn: (text: string) => void told.push(text) }, told };
}

const podSecurity = String.raw`299 - "would violate PodSecurity \"restricted:latest\": runAsNonRoot != true (pod or container \"web\" must set it)"`;

test("what the API server warns of a write reaches who asked; warnings of reads don't", async () => {
  const { createJob, request, told } = await town(({ verb }) =>
    verb === "create"
      ? [podSecurity, '299 - "erstes Über-Wort", 299 - "zweites"']
      : ['299 - "v1beta1 CronJob is deprecated"'],
  );

  await createJob({ ...request, body: { containers: [{ image: "shop/tidy:1" }] } });

  expect(told).toEqual([
    'would violate PodSecurity "restricted:latest": runAsNonRoot != true (pod or container "web" must set it)',
    "erstes Über-Wort",
    "zweites",
  ]);
});

test("two writes at once get their own warnings, and a header of another form none", async () => {
  const { updateService, restartService, request, told } = await town(({ verb, body }) =>
    verb !== "patch" ? [] : body.includes("restartedAt") ? ["no warning at all"] : ['299 - "of the size"'],
  );
  const others: string[] = [];

  await Promise.all([
    updateService({ ...request, body: { target_instance_size: 3 } }),
    restartService({ ...request, body: undefined, warn: (text) => void others.push(text) }),
  ]);

  expect(told).toEqual(["of the size"]);
  expect(others).toEqual([]);
});
