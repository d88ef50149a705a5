import { expect, test } from "vitest";
import { createEnvValues, rememberingEnv } from "../../src/workflow/access/env-values.ts";
import { calls, dana } from "../api/calls.ts";
import { held } from "../api/held.ts";
import { until } from "../api/listen.ts";

const list = '{"services":[{"name":"web","containers":[{"env":[{"name":"PASSWORD","value":"correct-horse"}]}]}]}';

test("the secrets of a list that several people read at once are collected once, and are known to each of them", async () => {
  const { api, pending, answerAll } = held();
  const values = createEnvValues(() => 0);
  const names: string[] = [];
  const note: typeof values.note = (account, workload, env) => {
    names.push(workload.name);
    values.note(account, workload, env);
  };
  const remembering = rememberingEnv(api, { ...values, note });
  const all = [1, 2, 3].map(() => remembering.as(dana).send(calls.listServices));
  await until(() => pending.length > 0);

  answerAll(list);
  await Promise.all(all);

  expect(names).toEqual(["web"]);
  const { region } = calls.listServices.path;
  expect(values.values(dana.username, { kind: "service", region, name: "web" })).toEqual(["correct-horse"]);
});
