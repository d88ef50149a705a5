import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../../../src/platform/http/listen.ts";
import { openLocalSlack } from "../../../../src/bot/compose/stand-ins/local-slack.ts";
import { notFullRun } from "../../../support/full-run.ts";
import { inherited } from "../../../support/gantry-process.ts";
import { testProxy, tlsFront } from "../../../support/proxy.ts";
import { certificate } from "../../../support/test-certificate.ts";

const bin = join(import.meta.dirname, "../../../../src/bin/setup.ts");

/** Runs the set-up as somebody would: the authorities of NODE_EXTRA_CA_CERTS are read when a process starts. */
async function runSetup(env: Record<string, string>, cwd: string) {
  const child = spawn(process.execPath, [bin, "--yes"], { cwd, env: { ...inherited, ...env } });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return `${out}${err}`;
}

test(
  "behind a proxy, with certificates of one's own, Slack is reached",
  { skip: notFullRun !== undefined },
  async () => {
    const options = { host: "127.0.0.1", port: 0, command: "/gantry", botPort: () => 1 };
    const slack = await openLocalSlack({ ...options, transport: "socket" });
    const api = await listen(async () => Response.json({ services: [] }), { ...options, variable: "PORT" });
    onTestFinished(() => Promise.all([slack.close(), api.close()]).then(() => undefined));
    await using slackTls = await tlsFront(slack.port);
    await using apiTls = await tlsFront(api.port);
    await using proxy = await testProxy({
      hosts: { "slack.test": slackTls.port, "workloads.test": apiTls.port },
      login: "dana:secret",
    });
    const folder = mkdtempSync(join(tmpdir(), "gantry-proxy-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "ca.pem"), certificate);
    const { botToken, transport } = slack.access;
    const env = {
      SLACK_API_URL: "https://slack.test/api/",
      SLACK_BOT_TOKEN: botToken,
      SLACK_APP_TOKEN: transport.kind === "socket" ? transport.appToken : "",
      WORKLOAD_API_URL: "https://workloads.test",
      WORKLOAD_API_USERNAME: "dana",
      WORKLOAD_API_TOKEN: "dana-token",
      HTTPS_PROXY: proxy.url.replace("//", "//dana:secret@"),
      NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
    };

    const said = await runSetup(env, folder);
    expect(said).toContain("The bot token works: @gantry in Playground");
    expect(said).toContain("The app-level token opens Socket Mode connections");
    expect(said).toContain("workloads.test lists 0 services");
    expect(new Set(proxy.passed)).toEqual(new Set(["CONNECT slack.test:443", "CONNECT workloads.test:443"]));

    // Each of the two is needed.
    const { NODE_EXTRA_CA_CERTS: _certificates, ...strangers } = env;
    expect(await runSetup(strangers, folder)).toMatch(/Slack didn't answer the check/u);
  },
);
