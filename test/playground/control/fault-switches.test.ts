import { afterEach, beforeEach, expect, test } from "vitest";
import { actOnPage } from "../support/live-page.ts";
import { startInstalledApp } from "../support/installed-app.ts";
import { running, type SmallWorld, startSmallWorld } from "../support/small-world.ts";
import { channelInfo } from "../support/samples.ts";

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld(running);
});
afterEach(async () => {
  await world.stop();
});

const does = async (action: string, body: Parameters<typeof actOnPage>[2]) => actOnPage(world.url, action, body);

test("a fault is switched on and off, and cleared", async () => {
  await does("faults", { answers: "429", slowMs: 5, deliverTwice: true });
  const limited = await world.call("auth.test", {});
  await does("faults", { answers: "" });
  const normal = await world.call("auth.test", {});
  await does("faults", { clear: true });

  expect(limited).toEqual({ ok: false, error: "ratelimited" });
  expect(normal).toMatchObject({ ok: true });
  expect(world.playground.faults).toMatchObject({ slowMs: 0, deliverTwice: false });
});

test("one method answers as chosen, with the Retry-After that is chosen, until another is", async () => {
  const limited = async (method: string) =>
    (await fetch(`${world.url}/api/${method}`, { method: "POST" })).headers.get("retry-after");
  await does("faults", { answers: "429", answersTo: "chat.postMessage", retryAfterSeconds: 40 });
  const first = [await limited("chat.postMessage"), await limited("auth.test")];
  await does("faults", { answers: "429", answersTo: "auth.test" });
  const second = [await limited("chat.postMessage"), await limited("auth.test")];
  await does("faults", { clear: true });

  expect([first, second]).toEqual([
    ["40", null],
    [null, "40"],
  ]);
  expect(world.playground.faults).toMatchObject({ retryAfterSeconds: 1, lateMs: 10_000 });
  expect(await limited("auth.test")).toBeNull();
});

test("the token is refused, lacks a scope, or may upload nothing", async () => {
  const asks = async (method: string, args: object) => (await world.call(method, args))["error"];
  const upload = { filename: "a.txt", length: 1 };
  await does("faults", { tokenError: "token_revoked" });
  const revoked = await asks("auth.test", {});
  await does("faults", { tokenError: "", missingScopes: ["users:read"], refusesUploads: true });
  const lacking = await world.call("users.info", { user: "U0DANA" });
  const refused = await asks("files.getUploadURLExternal", upload);
  await does("faults", { clear: true });

  expect([revoked, refused]).toEqual(["token_revoked", "file_uploads_disabled"]);
  expect(lacking).toMatchObject({ error: "missing_scope", needed: "users:read" });
  expect(lacking["provided"]).not.toContain("users:read");
  expect([await asks("auth.test", {}), await asks("files.getUploadURLExternal", upload)]).toEqual([
    undefined,
    undefined,
  ]);
});

test("an answer is chosen for one channel only", async () => {
  await does("people", { do: "invite", channel: "general", user: "gantry" });
  await does("faults", { answers: "429", answersTo: "chat.postMessage", answersIn: "C0OPS", retryAfterSeconds: 600 });
  const posts = async (channel: string) => (await world.call("chat.postMessage", { channel, text: "x" }))["ok"];

  expect([await posts("C0OPS"), await posts("C0GENERAL")]).toEqual([false, true]);
});

test("a channel is archived and opened again", async () => {
  const info = () => channelInfo(world, "C0OPS");
  await does("people", { do: "archive", channel: "C0OPS" });
  const archived = await info();
  await does("people", { do: "unarchive", channel: "C0OPS" });

  expect([archived, await info()]).toMatchObject([{ is_archived: true }, { is_archived: false }]);
});

test("the bot is taken out of a channel and let in again", async () => {
  await does("faults", { bot: { channel: "C0OPS", isIn: false } });
  const out = await world.call("chat.postMessage", { channel: "C0OPS", text: "x" });
  await does("faults", { bot: { channel: "C0OPS", isIn: true } });
  const back = await world.call("chat.postMessage", { channel: "C0OPS", text: "x" });

  expect(out).toMatchObject({ ok: false, error: "not_in_channel" });
  expect(back).toMatchObject({ ok: true });
});

test("faults outside of Slack are switched by functions that come with the playground's options", async () => {
  await world.stop();
  const set: boolean[] = [];
  world = await startSmallWorld({
    ...running,
    externalFaults: [{ label: "The API is down", set: (on) => void set.push(on) }],
  });
  await does("faults", { extra: { label: "The API is down", on: true } });
  await does("faults", { clear: true });
  const unknown = await does("faults", { extra: { label: "The sky falls", on: true } });

  expect(set).toEqual([true, false]);
  expect(unknown).toEqual({ status: 400, body: { error: 'There\'s no switch "The sky falls".' } });
});

test("a fault outside of Slack is on for every workspace, and turned off from any of them", async () => {
  let isDown = false;
  const harbour = await startInstalledApp({
    externalFaults: [{ label: "The API is down", set: (on) => (isDown = on) }],
  });
  try {
    await actOnPage(harbour.url, "faults", { as: "dana", extra: { label: "The API is down", on: true } });
    const before = isDown;
    await actOnPage(harbour.url, "faults", { as: "hana", clear: true });

    expect([before, isDown]).toEqual([true, false]);
  } finally {
    await harbour.stop();
  }
});
