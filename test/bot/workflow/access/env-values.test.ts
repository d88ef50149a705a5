import { stillClock } from "../../../support/test-clock.ts";
import { expect, test } from "vitest";
import { redactLines } from "../../../../src/bot/logs/redact.ts";
import { createEnvValues } from "../../../../src/bot/workflow/access/env-values.ts";
import { guardedApi } from "../../../../src/bot/workflow/access/guarded-api.ts";
import { calls, dana } from "../../../api/calls.ts";
import { held } from "../../../api/held.ts";
import { until } from "../../../support/until.ts";

const list = '{"services":[{"name":"web","containers":[{"env":[{"name":"PASSWORD","value":"correct-horse"}]}]}]}';

test("the secrets of a list that several people read at once are collected once, and are known to each of them", async () => {
  const { api, pending, answerAll } = held();
  const values = createEnvValues(stillClock());
  const names: string[] = [];
  const remember: typeof values.remember = (account, workload, env) => {
    names.push(workload.name);
    values.remember(account, workload, env);
  };
  const remembering = guardedApi(api, { ...values, remember });
  const all = [1, 2, 3].map(() => remembering.as(dana).send(calls.listServices));
  await until(() => pending.length > 0);

  answerAll(list);
  await Promise.all(all);

  expect(names).toEqual(["web"]);
  const { region } = calls.listServices.path;
  expect(values.values(dana.username, { kind: "service", region, name: "web" })).toEqual(["correct-horse"]);
});

test("of more workloads than are kept, those that were read last are known", () => {
  const values = createEnvValues(stillClock());
  const workload = (at: number) => ({ kind: "service", region: "us", name: `web-${at}` }) as const;
  const known = (at: number) => values.values("dana", workload(at)).length > 0;

  for (let at = 0; at < 12_000; at += 1)
    values.remember("dana", workload(at), [{ name: "PASSWORD", value: "correct-horse" }]);

  expect([known(0), known(6_000), known(8_000), known(11_999)]).toEqual([false, false, true, true]);
});

test("when there are too many workloads, those of the account that nobody has used for longest are forgotten", () => {
  const values = createEnvValues(stillClock());
  const env = [{ name: "PASSWORD", value: "correct-horse" }];
  const readAll = (account: string) => {
    for (let at = 0; at < 1_500; at += 1)
      values.remember(account, { kind: "service", region: "us", name: `web-${at}` }, env);
  };
  const known = (account: string) =>
    [0, 1_499].map((at) => values.isFresh(account, { kind: "service", region: "us", name: `web-${at}` }));

  for (const account of ["dana", "alex", "gwen", "dana", "kim"]) readAll(account);

  expect(known("alex")).toEqual([false, true]);
  expect(["gwen", "dana", "kim"].map(known)).toEqual([
    [true, true],
    [true, true],
    [true, true],
  ]);
  expect(values.values("dana", { kind: "service", region: "us", name: "web-7" })).toEqual(["correct-horse"]);
  expect(values.values("dana", { kind: "job", region: "us", name: "web-7" })).toEqual([]);
  expect(values.values("dana", { kind: "service", region: "eu", name: "web-7" })).toEqual([]);
});

test("of a list with more workloads than are kept, those with secrets are known, and the last ones count as read", async () => {
  const env = [{ name: "PASSWORD", value: "correct-horse" }];
  const services = Array.from({ length: 9_000 }, (_, at) => ({
    name: `web-${at}`,
    containers: [at % 1_000 === 0 ? { env } : {}],
  }));
  const { api, pending, answerAll } = held();
  const values = createEnvValues(stillClock());
  const sent = guardedApi(api, values).as(dana).send(calls.listServices);
  await until(() => pending.length > 0);

  answerAll(JSON.stringify({ services }));
  await sent;

  const { region } = calls.listServices.path;
  const workload = (at: number) => ({ kind: "service", region, name: `web-${at}` }) as const;
  expect([0, 3_000, 8_000].map((at) => values.values(dana.username, workload(at)).length)).toEqual([1, 1, 1]);
  expect([1, 8_999].map((at) => values.isFresh(dana.username, workload(at)))).toEqual([false, true]);
});

const web = { kind: "service", region: "us", name: "web" } as const;

test("of a workload with many variables, the short passwords are known too, also after it was created again and again", () => {
  const values = createEnvValues(stillClock());
  const env = Array.from({ length: 500 }, (_, at) => ({
    name: `SECRET_${at}`,
    value: `a long value of variable ${at}`,
  }));
  for (let turn = 0; turn < 20; turn += 1)
    values.remember("dana", web, [...env, { name: "PIN", value: `swordfish${turn}` }]);

  const shown = redactLines(
    ["now swordfish19", "before swordfish0", "a long value of variable 7"],
    values.values("dana", web),
  );

  expect(shown).toEqual(["now [redacted]", "before [redacted]", "[redacted]"]);
});

test("a long value is redacted to its end", () => {
  const values = createEnvValues(stillClock());
  const value = "some words and more words ".repeat(400);
  values.remember("dana", web, [{ name: "CONFIG", value }]);

  expect(redactLines([`read ${value.trim()}!`], values.values("dana", web))).toEqual(["read [redacted]!"]);
});

test("lines of a workload whose values are too many to look for are withheld", () => {
  const values = createEnvValues(stillClock());
  const env = Array.from({ length: 10_000 }, (_, at) => ({
    name: `KEY_${at}`,
    value: `a quite long value number ${at}`,
  }));
  values.remember("dana", web, env);

  const shown = redactLines(["it is a quite long value number 9999"], values.values("dana", web));

  expect(shown).toEqual(["[line withheld: too many environment values to check it]"]);
});
