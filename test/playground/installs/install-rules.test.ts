import { afterEach, beforeEach, expect, test } from "vitest";
import { oauth } from "../../../src/playground/rules/limits.ts";
import type { InstallRuleId } from "../../../src/playground/rules/rules.ts";
import type { Answer } from "../support/small-world.ts";
import { clientSecret, type InstalledApp, redirectUri, startInstalledApp } from "../support/installed-app.ts";

// Each rule of installing an app in several workspaces: kept at its limit, broken one past it.

let slack: InstalledApp;
let rotating: InstalledApp;
beforeEach(async () => {
  slack = await startInstalledApp();
  rotating = await startInstalledApp({ rotates: true });
});
afterEach(async () => {
  await Promise.all([slack.stop(), rotating.stop()]);
});

const harbour = { owner: "T0HARBOUR", as: "U0HHANA" };
const orchard = { owner: "E0ORCHARD", as: "U0OEMMA" };
const traded = { redirect_uri: redirectUri };

type Row = { readonly error: string; readonly kept: () => Promise<Answer>; readonly broken: () => Promise<Answer> };

async function pageAt(query: Readonly<Record<string, string>>): Promise<Answer> {
  const response = await slack.answers({ ...harbour, query });
  const sentence = /<p>([^<]*)<\/p>/u.exec(await response.text())?.[1] ?? "";
  return response.status === 302 ? { ok: true } : { ok: false, error: sentence.split(":", 1)[0] };
}

async function refresh(token: unknown): Promise<Answer> {
  return rotating.trade({ grant_type: "refresh_token", refresh_token: token });
}

async function firstPair(): Promise<Answer> {
  return rotating.trade({ code: await rotating.code(harbour), ...traded });
}

async function afterMs(app: InstalledApp, ms: number): Promise<Answer> {
  const code = await app.code(harbour);
  app.pass(ms);
  return app.trade({ code, ...traded });
}

const rows: Readonly<Record<InstallRuleId, Row>> = {
  "oauth.client": {
    error: "bad_client_secret",
    kept: async () => slack.trade({ code: await slack.code(harbour), ...traded, client_secret: clientSecret }),
    broken: async () => slack.trade({ code: await slack.code(harbour), ...traded, client_secret: "another" }),
  },
  "oauth.scope": {
    error: "invalid_scope",
    kept: () => pageAt({ scope: "chat:write,commands" }),
    broken: () => pageAt({ scope: "chat:write,admin.apps:write" }),
  },
  "oauth.redirect": {
    error: "bad_redirect_uri",
    kept: async () => {
      const page = await pageAt({ redirect_uri: `${redirectUri}/again` });
      const code = await slack.code(harbour);
      return page["ok"] === true ? slack.trade({ code, ...traded }) : page;
    },
    broken: async () => {
      const page = await pageAt({ redirect_uri: "https://bot.example/slack/oauth_redirect.evil.example" });
      const code = await slack.code(harbour);
      return page["ok"] === true ? page : slack.trade({ code, redirect_uri: `${redirectUri}/` });
    },
  },
  "oauth.code": {
    error: "invalid_code",
    kept: () => afterMs(slack, oauth.codeMs.max),
    broken: () => afterMs(slack, oauth.codeMs.max + 1),
  },
  "oauth.refresh": {
    error: "invalid_refresh_token",
    kept: async () => refresh((await firstPair())["refresh_token"]),
    broken: async () => {
      const { refresh_token: once } = await firstPair();
      await refresh(once);
      return refresh(once);
    },
  },
  "oauth.org": {
    error: "cannot_install_an_org_installed_app",
    kept: async () => slack.trade({ code: await slack.code({ owner: "T0OEAST", as: "U0OEMMA" }), ...traded }),
    broken: async () => {
      await slack.install(orchard.owner, orchard.as);
      return slack.trade({ code: await slack.code({ owner: "T0OEAST", as: "U0OEMMA" }), ...traded });
    },
  },
  "auth.fresh": {
    error: "token_expired",
    kept: async () => {
      const token = await rotating.install(harbour.owner, harbour.as);
      rotating.pass(oauth.tokenSeconds.max * 1000 - 1);
      return rotating.call("auth.test", {}, token);
    },
    broken: async () => {
      const token = await rotating.install(harbour.owner, harbour.as);
      rotating.pass(oauth.tokenSeconds.max * 1000);
      return rotating.call("auth.test", {}, token);
    },
  },
  "auth.team": {
    error: "team_access_not_granted",
    kept: async () => {
      const token = await slack.install(orchard.owner, orchard.as);
      await slack.playground.installs.addTo("orchard-east");
      return slack.call("users.list", { team_id: "T0OEAST" }, token);
    },
    broken: async () => {
      const token = await slack.install(orchard.owner, orchard.as);
      await slack.playground.installs.addTo("orchard-east");
      return slack.call("users.list", { team_id: "T0OWEST" }, token);
    },
  },
  "install.here": {
    error: "app_not_installed",
    kept: async () => {
      await slack.install(harbour.owner, harbour.as);
      const { acked } = await slack.playground.workspace("harbour").as("hana").uses("create");
      return { ok: acked };
    },
    broken: async () => {
      await slack.playground.installs.uninstall("harbour");
      const { error = "" } = await slack.playground.workspace("harbour").as("hana").uses("create");
      return { ok: false, error };
    },
  },
};

test.each(Object.entries(rows))("%s is kept, then broken", async (_id, { error, kept, broken }) => {
  expect(await kept()).toMatchObject({ ok: true });
  expect(await broken()).toMatchObject({ ok: false, error });
});

test("a code works once, and no other code is accepted", async () => {
  const code = await slack.code(harbour);
  await slack.trade({ code, ...traded });

  expect(await slack.trade({ code, ...traded })).toMatchObject({ ok: false, error: "code_already_used" });
  expect(await slack.trade({ code: "made-up", ...traded })).toMatchObject({ ok: false, error: "invalid_code" });
});

test("a third token ends the first", async () => {
  const first = await firstPair();
  const second = await refresh(first["refresh_token"]);
  const both = [first, second].map(({ access_token: token }) => rotating.call("auth.test", {}, String(token)));
  const third = await refresh(second["refresh_token"]);
  const after = [first, second, third].map(({ access_token: token }) => rotating.call("auth.test", {}, String(token)));

  expect(await Promise.all(both)).toMatchObject([{ ok: true }, { ok: true }]);
  expect(await Promise.all(after)).toMatchObject([{ ok: false, error: "token_revoked" }, { ok: true }, { ok: true }]);
});

const shown: Readonly<Record<string, () => Promise<void>>> = {
  async "who cancels is sent back with error=access_denied"() {
    const response = await slack.answers({ ...harbour, answer: "cancel" });
    expect(response.headers.get("location")).toBe(`${redirectUri}?error=access_denied&state=s`);
  },
  async "installing again adds scopes, and gives the same token unless tokens rotate"() {
    const few = await slack.code({ ...harbour, query: { scope: "chat:write" } });
    const first = await slack.trade({ code: few, ...traded });
    const more = await slack.trade({ code: await slack.code({ ...harbour, query: { scope: "commands" } }), ...traded });
    expect(first["scope"]).toBe("chat:write");
    expect(more).toMatchObject({ scope: "chat:write,commands", access_token: first["access_token"] });
    expect((await rotating.install("T0PLAYGR", "U0DANA")) === (await rotating.install("T0PLAYGR", "U0DANA"))).toBe(
      false,
    );
  },
  async "the bot user comes with the installation, and is in no channel"() {
    const token = await slack.install(harbour.owner, harbour.as);
    expect(await slack.call("users.info", { user: "U0HBOT" }, token)).toMatchObject({ ok: true });
    const posted = await slack.call("chat.postMessage", { channel: "C0HOPS", text: "Hello" }, token);
    expect(posted).toMatchObject({ ok: false, error: "not_in_channel" });
  },
  async "a removed app's tokens end first, its events follow in any order, its commands are gone"() {
    const token = await slack.install(harbour.owner, harbour.as);
    await slack.playground.installs.uninstall("harbour");
    expect(await slack.call("auth.test", {}, token)).toMatchObject({ ok: false, error: "account_inactive" });
    expect(slack.events("app_uninstalled")).toMatchObject([{ team_id: "T0HARBOUR" }]);
    expect(slack.events("tokens_revoked")).toMatchObject([{ event: { tokens: { bot: ["U0HBOT"], oauth: [] } } }]);
    const said = await slack.playground.workspace("harbour").as("hana").says("/gantry list");
    expect(said).toMatchObject({ acked: false, error: "invalid_command" });
  },
  async "tokens_revoked names users, never tokens; commands still arrive (ours: Slack's pages are silent)"() {
    const token = await slack.install(harbour.owner, harbour.as);
    await slack.playground.installs.revokeTokens("harbour");
    expect(await slack.call("auth.test", {}, token)).toMatchObject({ ok: false, error: "token_revoked" });
    expect(slack.events("tokens_revoked")).toHaveLength(1);
    expect(slack.events("app_uninstalled")).toHaveLength(0);
    const said = await slack.playground.workspace("harbour").as("hana").says("/gantry list");
    expect(said).toMatchObject({ acked: true });
  },
  async "an organization's installation works in no workspace until an admin adds it there"() {
    await slack.install(orchard.owner, orchard.as);
    const emma = slack.playground.workspace("orchard-east").as("emma");
    expect(await emma.says("/gantry list")).toMatchObject({ acked: false });
    await slack.playground.installs.addTo("orchard-east");
    expect(await emma.says("/gantry list")).toMatchObject({ acked: true });
    expect(slack.events("team_access_granted")).toMatchObject([{ event: { team_ids: ["T0OEAST"] } }]);
    await slack.playground.installs.removeFrom("orchard-east");
    expect(await emma.says("/gantry list")).toMatchObject({ acked: false });
  },
  async "payloads for an organization's installation say so; an interaction outside of a message has no team"() {
    await slack.install(orchard.owner, orchard.as);
    await slack.playground.installs.addTo("orchard-east");
    const emma = slack.playground.workspace("orchard-east").as("emma");
    const org = { enterprise_id: "E0ORCHARD", is_enterprise_install: "true", team_id: "T0OEAST" };
    await emma.says("/gantry list");
    expect(slack.bot.last()).toMatchObject(org);
    await emma.uses("create");
    expect(slack.bot.last()).toMatchObject({ team: null, user: { team_id: "T0OEAST" }, is_enterprise_install: true });
  },
  async "auth.test with an organization's token names the organization as the team (ours: no example)"() {
    const token = await slack.install(orchard.owner, orchard.as);
    const answer = { team_id: "E0ORCHARD", enterprise_id: "E0ORCHARD", is_enterprise_install: true, bot_id: "B0OBOT" };
    expect(await slack.call("auth.test", {}, token)).toMatchObject(answer);
  },
  async "team_id is ignored with a workspace's token"() {
    const token = await slack.install(harbour.owner, harbour.as);
    const { members } = await slack.call("users.list", { team_id: "T0PLAYGR" }, token);
    expect(members).toEqual(expect.arrayContaining([expect.objectContaining({ id: "U0HHANA" })]));
  },
};

test.each(Object.entries(shown))("%s", async (_id, show) => {
  await expect(show()).resolves.toBeUndefined();
});
