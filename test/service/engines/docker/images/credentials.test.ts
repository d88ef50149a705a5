import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  credentialFiles,
  runHelper,
  credentialsIn,
  referenceOf,
} from "../../../../../src/service/engines/docker/images/registry.ts";

const folder = mkdtempSync(join(tmpdir(), "gantry-credentials-"));
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const dana = { auth: base64("dana:s3:cret") };

let files = 0;

function fileWith(content: object | string): string {
  const path = join(folder, `${(files += 1)}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function imageOf(name: string) {
  const reference = referenceOf(name);
  if (!reference) throw new Error(`${name} is no image`);
  return reference;
}

/** What the daemon is sent for an image, readable. */
async function sent(image: string, paths: readonly string[], run = runHelper) {
  const found = await credentialsIn(paths, run)(imageOf(image));
  if (found?.header === undefined) return found;
  return JSON.parse(Buffer.from(found.header, "base64url").toString()) as unknown; // what Docker reads
}

test("a login of the image's registry is sent, and no other one", async () => {
  const file = fileWith({ auths: { "registry.example:5000": dana, "other.example": { auth: base64("x:y") } } });
  const login = { username: "dana", password: "s3:cret", serveraddress: "registry.example:5000" };
  expect(await sent("registry.example:5000/team/app:2", [file])).toEqual(login);
  expect(await sent("registry.example/team/app:2", [file])).toBeUndefined();
  expect(await sent("nginx", [file])).toBeUndefined();
});

test("Docker Hub, old addresses, paths and tokens are found as the daemons' own programs write them", async () => {
  const file = fileWith({
    auths: {
      "https://index.docker.io/v1/": dana,
      "https://old.example/v1/": dana,
      "paths.example": { auth: base64("all:1") },
      "paths.example/team": { auth: base64("team:2") },
      "token.example": { identitytoken: "t0k3n" },
    },
  });
  expect(await sent("nginx", [file])).toMatchObject({ username: "dana", serveraddress: "https://index.docker.io/v1/" });
  expect(await sent("old.example/app", [file])).toMatchObject({ username: "dana" });
  expect(await sent("paths.example/team/app", [file])).toMatchObject({ username: "team", password: "2" });
  expect(await sent("paths.example/else/app", [file])).toMatchObject({ username: "all" });
  expect(await sent("token.example/app", [file])).toEqual({ identitytoken: "t0k3n", serveraddress: "token.example" });
});

test("helpers are asked for their registries, and the store for the others", async () => {
  const file = fileWith({
    auths: { "kept.example": {} },
    credsStore: "keychain",
    credHelpers: { "cloud.example": "cloud" },
  });
  const asked: string[] = [];
  const run = async (program: string, server: string) => {
    asked.push(`${program} ${server}`);
    if (server === "none.example") return { output: "credentials not found in native keychain\n", isOk: false };
    const Username = server === "cloud.example" ? "<token>" : "dana";
    return { output: JSON.stringify({ ServerURL: server, Username, Secret: "pw" }), isOk: true };
  };
  expect(await sent("kept.example/app", [file], run)).toMatchObject({ username: "dana", password: "pw" });
  expect(await sent("cloud.example/app", [file], run)).toMatchObject({ identitytoken: "pw" });
  expect(await sent("none.example/app", [file], run)).toBeUndefined();
  expect(asked).toEqual([
    "docker-credential-keychain kept.example",
    "docker-credential-cloud cloud.example",
    "docker-credential-keychain none.example",
  ]);
});

test("a helper is a program of the machine", async () => {
  const helper = join(folder, "docker-credential-real");
  writeFileSync(
    helper,
    `#!/bin/sh\nread -r server\necho "{\\"Username\\":\\"dana\\",\\"Secret\\":\\"for $server\\"}"\n`,
  );
  chmodSync(helper, 0o755);
  const { output, isOk } = await runHelper(helper, "registry.example");
  expect({ isOk, said: JSON.parse(output) as unknown }).toEqual({
    isOk: true,
    said: { Username: "dana", Secret: "for registry.example" },
  });
});

test("credentials that can't be read are a reason, without the file's content", async () => {
  const broken = fileWith('{"auths": {"registry.example": {"auth": "c2VjcmV0"');
  const noHelper = fileWith({ credsStore: "gantry-has-no-such-helper" });
  const badHelper = fileWith({ credsStore: "x; rm" });
  const failing = async () => ({ output: "secret", isOk: false });
  const problems = [
    await sent("registry.example/app", [broken]),
    await sent("registry.example/app", [noHelper]),
    await sent("registry.example/app", [badHelper]),
    await sent("registry.example/app", [noHelper], failing),
    await sent("registry.example/app", [noHelper], async () => ({ output: "secret", isOk: true })),
  ];
  expect(problems).toEqual([
    { problem: `${broken}: it isn't a credentials file of Docker or Podman` },
    { problem: `${noHelper}: docker-credential-gantry-has-no-such-helper isn't on this machine` },
    { problem: `${badHelper}: docker-credential-x; rm isn't the name of a program` },
    { problem: `${noHelper}: docker-credential-gantry-has-no-such-helper failed` },
    { problem: `${noHelper}: docker-credential-gantry-has-no-such-helper answered something else than credentials` },
  ]);
});

test("Podman's own files come before Docker's, and a file that isn't there is no problem", async () => {
  const env = { HOME: "/home/dana", XDG_RUNTIME_DIR: "/run/user/7" };
  expect(credentialFiles("docker", env)).toEqual(["/home/dana/.docker/config.json"]);
  expect(credentialFiles("docker", { ...env, DOCKER_CONFIG: "/etc/gantry" })).toEqual(["/etc/gantry/config.json"]);
  expect(credentialFiles("podman", env)).toEqual([
    "/run/user/7/containers/auth.json",
    "/home/dana/.config/containers/auth.json",
    "/home/dana/.docker/config.json",
  ]);
  expect(credentialFiles("podman", { ...env, REGISTRY_AUTH_FILE: "/etc/auth.json" })).toEqual(["/etc/auth.json"]);

  const first = fileWith({ auths: { "registry.example": { auth: base64("podman:1") } } });
  const second = fileWith({ auths: { "registry.example": { auth: base64("docker:2") }, "more.example": dana } });
  const all = [join(folder, "none.json"), first, second];
  expect(await sent("registry.example/app", all)).toMatchObject({ username: "podman" });
  expect(await sent("more.example/app", all)).toMatchObject({ username: "dana" });
});
