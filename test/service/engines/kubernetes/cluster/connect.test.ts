import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { kubeConfigOf } from "../../../../../src/service/engines/kubernetes/cluster/connect.ts";
import { stillClock } from "../../../../support/test-clock.ts";

function kubeconfigFile(text: string): { readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), "gantry-kubeconfig-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "config");
  writeFileSync(path, text);
  return { path };
}

const twoContexts = `
apiVersion: v1
kind: Config
clusters: [{name: one, cluster: {server: "https://one.example:6443"}}, {name: two, cluster: {server: "https://two.example:6443"}}]
users: [{name: ada, user: {token: ada-token}}]
contexts: [{name: first, context: {cluster: one, user: ada}}, {name: second, context: {cluster: two, user: ada}}]
current-context: first
`;

test.each([
  ["the current context", undefined, "https://one.example:6443"],
  ["the named context", "second", "https://two.example:6443"],
])("a region uses %s of its kubeconfig", async (_, context, server) => {
  const config = await kubeConfigOf({ kubeconfig: kubeconfigFile(twoContexts), context }, stillClock());

  expect(config.getCurrentCluster()?.server).toBe(server);
});

test("a context that the kubeconfig lacks is named, with those it has", async () => {
  const opened = kubeConfigOf({ kubeconfig: kubeconfigFile(twoContexts), context: "third" }, stillClock());

  await expect(opened).rejects.toThrow("no context third: it has first, second");
});

test("a user that the kubeconfig lacks is named, with its context and those it has", async () => {
  const text = twoContexts.replace("cluster: two, user: ada", "cluster: two, user: grace");

  await expect(kubeConfigOf({ kubeconfig: kubeconfigFile(text), context: "second" }, stillClock())).rejects.toThrow(
    "has no user grace, which its context second names: it has ada",
  );
  await expect(
    kubeConfigOf({ kubeconfig: kubeconfigFile(text), context: "first" }, stillClock()),
  ).resolves.toBeDefined();
});

test("a kubeconfig without a current context says so", async () => {
  const text = twoContexts.replace("current-context: first", "");

  await expect(kubeConfigOf({ kubeconfig: kubeconfigFile(text), context: undefined }, stillClock())).rejects.toThrow(
    "no current context: set one",
  );
});

test.each([
  ["is missing", "", "ENOENT"],
  ["isn't YAML", "clusters: [", "can't be read"],
  ["is another file", "just text", "no current context"],
])("a kubeconfig that %s is named with its path", async (what, text, reason) => {
  const { path } = kubeconfigFile(text);
  const kubeconfig = { path: what === "is missing" ? `${path}-missing` : path };

  await expect(kubeConfigOf({ kubeconfig, context: undefined }, stillClock())).rejects.toThrow(
    expect.objectContaining({ message: expect.stringContaining(kubeconfig.path) }) as Error,
  );
  await expect(kubeConfigOf({ kubeconfig, context: undefined }, stillClock())).rejects.toThrow(reason);
});

test.each([
  ["gcp", "Install gke-gcloud-auth-plugin"],
  ["azure", "Install kubelogin, then run `kubelogin convert-kubeconfig`"],
  ["oidc", "Use an exec plugin for OpenID Connect"],
  ["openstack", "Give the user a token, a certificate or an exec plugin"],
])("the auth-provider %s is refused with what to do instead", async (name, todo) => {
  const text = twoContexts.replace(
    "token: ada-token",
    `auth-provider: {name: ${name}, config: {access-token: secret}}`,
  );

  const error = await kubeConfigOf({ kubeconfig: kubeconfigFile(text), context: undefined }, stillClock()).catch(
    String,
  );

  expect(error).toContain(`has the auth-provider ${name} for its user ada, which Gantry can't use. ${todo}`);
  expect(error).not.toContain("secret");
});

test("a server without TLS is refused, because the token would be sent in the clear; kubectl proxy isn't", async () => {
  const at = (server: string) =>
    kubeConfigOf(
      { kubeconfig: kubeconfigFile(twoContexts.replace("https://one.example:6443", server)), context: undefined },
      stillClock(),
    );

  await expect(at("http://10.0.0.1:8080")).rejects.toThrow(
    "has the server http://10.0.0.1:8080, and http:// would send Gantry's credentials in the clear: write https://",
  );
  await expect(at("http://localhost.example")).rejects.toThrow("in the clear");
  for (const own of ["http://127.0.0.1:8001", "http://localhost:8001", "http://[::1]:8001"]) {
    const config = await at(own);
    await expect(config.applyToHTTPSOptions({}), own).resolves.toBeUndefined();
  }
});
