import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../../src/platform/http/listen.ts";
import { createPlayground } from "../../../src/playground/playground.ts";
import { notFullRun } from "../../support/full-run.ts";
import { testProxy, tlsFront } from "../../support/proxy.ts";
import { smallAppManifest } from "../../support/small-app-manifest.ts";
import { certificate } from "../../support/test-certificate.ts";
import { until } from "../../support/until.ts";

const bin = join(import.meta.dirname, "../../../src/main.ts");
const skip = notFullRun !== undefined;

test("behind a proxy, commands arrive over Socket Mode and are answered", { skip }, async () => {
  const secrets = {
    botToken: "xoxb-behind-a-proxy",
    appToken: "xapp-1-behind-a-proxy",
    signingSecret: "not-used-here-1",
  };
  const playground = createPlayground({
    app: { ...smallAppManifest, commands: ["/gantry"], usesSocketMode: true },
    ...secrets,
    url: "https://slack.test",
    requestUrl: () => "http://127.0.0.1:1/slack/events",
  });
  const { fetch, upgrade } = playground;
  const options = { host: "127.0.0.1", port: 0, variable: "PORT" };
  const slack = await listen(fetch, { ...options, upgrade });
  const api = await listen(async () => Response.json({ services: [], jobs: [] }), options);
  await using slackTls = await tlsFront(slack.port);
  await using apiTls = await tlsFront(api.port);
  await using proxy = await testProxy({ hosts: { "slack.test": slackTls.port, "workloads.test": apiTls.port } });
  const folder = mkdtempSync(join(tmpdir(), "gantry-proxy-"));
  writeFileSync(join(folder, "ca.pem"), certificate);
  const env = {
    PATH: process.env["PATH"],
    PORT: "0",
    GANTRY_DATA: folder,
    SLACK_API_URL: "https://slack.test/api/",
    SLACK_BOT_TOKEN: secrets.botToken,
    SLACK_APP_TOKEN: secrets.appToken,
    WORKLOAD_API_URL: "https://workloads.test",
    WORKLOAD_API_USERNAME: "dana",
    WORKLOAD_API_TOKEN: "dana-token",
    HTTPS_PROXY: proxy.url,
    NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
  };
  const bot = spawn(process.execPath, [bin, "bot"], { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  bot.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  onTestFinished(async () => {
    bot.kill("SIGKILL");
    playground.close();
    await Promise.all([slack.close(), api.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  await until(() => said.includes("over Socket Mode"));
  await playground.as("dana").says("/gantry list");
  await until(() => playground.transcript().some(({ kind }) => kind === "response_url"));
  expect(new Set(proxy.passed)).toEqual(new Set(["CONNECT slack.test:443", "CONNECT workloads.test:443"]));
});
