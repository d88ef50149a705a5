import { addressProblem } from "../../../../src/service/engines/docker/descriptor.ts";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  addressOf,
  addressText,
  isLocal,
  apiVersion,
} from "../../../../src/service/engines/docker/daemon/daemon-connection.ts";
import { machineClock } from "../../../../src/platform/clock.ts";
import { daemonAt } from "../../../../src/service/engines/docker/daemon/daemon-client.ts";
import { findDaemon, usualSockets } from "../../../../src/service/engines/docker/daemon/find-daemon.ts";
import { certificate, certificateKey } from "../../../support/test-certificate.ts";
import { testClock } from "../../../support/test-clock.ts";
import { until } from "../../../support/until.ts";
import { makeDataDir } from "../process/support/data-dir.ts";
import { fakeDaemon, podmanVersion } from "./support/fake-daemon.ts";

const plain = { isVerified: false };
const nothing = { tls: plain };
const at = (socketPath: string, from: string) => ({ address: { socketPath }, from });

describe("the daemon", () => {
  test("of DOCKER_HOST is used, even if another one answers elsewhere", async () => {
    await using docker = await fakeDaemon();
    await using podman = await fakeDaemon({ "/version": [200, podmanVersion] });

    const found = await findDaemon(
      { ...nothing, dockerHost: docker.host, containerHost: podman.host },
      { clock: machineClock },
    );

    expect(found.about).toMatchObject({ kind: "docker", version: "20.10.24", memoryMib: 8192, limitsMemory: true });
    expect(podman.asked).toEqual([]);
  });

  test("of CONTAINER_HOST is used when DOCKER_HOST isn't set, and may be Podman", async () => {
    await using podman = await fakeDaemon({ "/version": [200, podmanVersion] });

    const found = await findDaemon({ ...nothing, containerHost: podman.host }, { clock: machineClock });

    expect(found.about).toMatchObject({ kind: "podman", version: "4.3.1" });
  });

  test("is otherwise the first that answers at a usual socket", async () => {
    await using stopped = await fakeDaemon();
    await using podman = await fakeDaemon({ "/version": [200, podmanVersion] });
    await stopped.stop();

    const usual = [at(stopped.socketPath, "Docker"), at(podman.socketPath, "Podman")];
    const found = await findDaemon(nothing, { clock: machineClock, usual });

    expect(found.about.kind).toBe("podman");
  });

  test("keeps nobody who gives up waiting while it doesn't tell its version", async () => {
    await using busy = await fakeDaemon({ "/version": () => undefined });
    const leaving = new AbortController();
    const followed = daemonAt({ socketPath: busy.socketPath }, machineClock).events("gantry", leaving.signal);

    await until(() => busy.asked.includes("GET /version"));
    leaving.abort(new Error("the service ends"));

    await expect(followed).rejects.toThrow("the service ends");
  });

  test("is waited for when it is slow, and the wait is said", async () => {
    const said = Promise.withResolvers<string>();
    await using busy = await fakeDaemon();
    const { "/info": info } = busy.answers;
    busy.answers["/info"] = (response) =>
      void said.promise.then(() => response.writeHead(200).end(JSON.stringify(Array.isArray(info) ? info[1] : {})));

    const clock = testClock();
    const finding = findDaemon({ ...nothing, dockerHost: busy.host }, { clock, onWait: said.resolve });
    await until(() => busy.asked.some((each) => each.endsWith("/info")));
    clock.passMs(10_000);

    expect((await finding).about).toMatchObject({ kind: "docker" });
    expect(await said.promise).toBe(busy.host);
  });

  test("isn't found: each place is named, with why it can't be used", async () => {
    await using stranger = await fakeDaemon({ "/version": [200, { hello: "world" }] });
    await using broken = await fakeDaemon({ "/info": [500, { message: "layers are damaged" }] });
    await using old = await fakeDaemon({
      "/version": [200, { Version: "19.03.1", ApiVersion: "1.40", MinAPIVersion: "1.12" }],
    });
    const usual = [
      at("/nowhere/docker.sock", "Docker"),
      at(stranger.socketPath, "Docker, rootless"),
      at(broken.socketPath, "Docker Desktop"),
      at(old.socketPath, "Podman"),
    ];

    await expect(findDaemon(nothing, { clock: machineClock, usual })).rejects.toThrow(
      [
        "Nothing was started: found neither Docker nor Podman. Start one of them (`systemctl start docker`, or " +
          "`systemctl --user start podman.socket`), or set DOCKER_HOST. Looked at:",
        "- DOCKER_HOST and CONTAINER_HOST: not set",
        "- unix:///nowhere/docker.sock (Docker): there is no such socket",
        `- ${stranger.host} (Docker, rootless): what answers there is neither Docker nor Podman`,
        `- ${broken.host} (Docker Desktop): it answered 500: layers are damaged`,
        `- ${old.host} (Podman): its API 1.40 is too old. Gantry needs 1.41: Docker 20.10, or Podman 4`,
      ].join("\n"),
    );
  });

  test("of the environment isn't replaced by another one when it is away", async () => {
    await expect(findDaemon({ ...nothing, dockerHost: "tcp://127.0.0.1:1" }, { clock: machineClock })).rejects.toThrow(
      "the daemon of DOCKER_HOST can't be used. Start it, or set DOCKER_HOST to another.\n" +
        "- tcp://127.0.0.1:1 (DOCKER_HOST): nothing listens there",
    );
  });

  test("from before isn't replaced by another one when it is away: its containers may still run", async () => {
    await using other = await fakeDaemon();
    const looking = {
      clock: machineClock,
      remembered: "unix:///nowhere/docker.sock",
      usual: [at(other.socketPath, "Docker")],
    };

    await expect(findDaemon(nothing, looking)).rejects.toThrow("workloads of this data folder run on a daemon that");
    await expect(findDaemon({ ...nothing, dockerHost: other.host }, looking)).resolves.toMatchObject({
      about: { kind: "docker" },
    });
  });

  test("is spoken to in a version of the API that it offers, also after an upgrade", async () => {
    await using docker = await fakeDaemon();
    const { daemon } = await findDaemon({ ...nothing, dockerHost: docker.host }, { clock: machineClock });
    await daemon.listContainers([]);
    await docker.stop();
    await docker.start();
    docker.answers["/version"] = [200, { Version: "29.0.1", ApiVersion: "1.52", MinAPIVersion: "1.44" }];

    await expect(daemon.listContainers([]).catch(() => daemon.listContainers([]))).resolves.toEqual([]);
    await docker.stop();
    await expect(daemon.listContainers([])).rejects.toMatchObject({ name: "DaemonError", status: undefined });
    await docker.start();
    await daemon.listContainers([]);

    expect(docker.asked.filter((each) => each.endsWith("/containers/json")).slice(0, 1)).toEqual([
      "GET /v1.41/containers/json",
    ]);
    expect(docker.asked.at(-1)).toBe("GET /v1.44/containers/json");
  });

  test("on another machine is spoken to over TLS, each side with its certificate", async () => {
    const certPath = makeDataDir();
    for (const name of ["ca.pem", "cert.pem"]) writeFileSync(join(certPath, name), certificate);
    writeFileSync(join(certPath, "key.pem"), certificateKey);
    const server = createServer(
      { cert: certificate, key: certificateKey, ca: certificate, requestCert: true },
      ({ socket, url }, response) =>
        response.end(JSON.stringify(url === "/version" ? aboutOver(socket) : { MemTotal: 1 })),
    ).listen(0);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const dockerHost = `tcp://localhost:${(server.address() as AddressInfo).port}`; // listens on a port

    const found = await findDaemon({ dockerHost, tls: { isVerified: true, certPath } }, { clock: machineClock });

    expect(found.about.version).toBe("trusted");
    await expect(findDaemon({ ...nothing, dockerHost }, { clock: machineClock })).rejects.toThrow("can't be used");
  });

  test.each([
    ["", {}],
    [" of a known length", { "content-length": 2 }],
  ])("that cuts an answer%s off is away", async (_, headers) => {
    await using docker = await fakeDaemon({
      "/containers/json": (response) => {
        response.writeHead(200, headers).write("[", () => response.destroy());
      },
    });
    const { daemon } = await findDaemon({ ...nothing, dockerHost: docker.host }, { clock: machineClock });

    await expect(daemon.listContainers([])).rejects.toMatchObject({
      name: "DaemonError",
      status: undefined,
      message: "it closed the connection",
    });
  });
});

/** What a daemon tells a client with a certificate that it trusts, or without one. */
function aboutOver(socket: Socket): object {
  const { authorized } = socket as TLSSocket; // the server speaks TLS
  return { Version: authorized ? "trusted" : "a stranger", ApiVersion: "1.44" };
}

test("the usual sockets are those of Docker and Podman, of the machine and of the user", () => {
  const found = usualSockets({ runtimeDir: "/run/user/1000" }).map(({ address }) => addressText(address));

  expect(found).toEqual([
    "unix:///var/run/docker.sock",
    "unix:///run/user/1000/docker.sock",
    expect.stringMatching(/\.docker\/run\/docker\.sock$/u),
    expect.stringMatching(/\.docker\/desktop\/docker\.sock$/u),
    "unix:///run/user/1000/podman/podman.sock",
    "unix:///run/podman/podman.sock",
  ]);
});

describe("an address", () => {
  test.each([
    ["unix:///var/run/docker.sock", "unix:///var/run/docker.sock", true],
    ["tcp://127.0.0.1", "tcp://127.0.0.1:2375", true],
    ["tcp://[::1]:99", "tcp://[::1]:99", true],
    ["tcp://build.example.com", "tcp://build.example.com:2375", false],
  ])("%s is read", async (text, read, local) => {
    const address = await addressOf(text, plain);

    expect(addressProblem("DOCKER_HOST", text)).toBeUndefined();
    expect([addressText(address), isLocal(address)]).toEqual([read, local]);
  });

  test.each(["", "docker.sock", "unix://", "tcp://", "http://127.0.0.1:2375", "npipe:////./pipe/docker_engine"])(
    "%j is none",
    (text) => {
      expect(addressProblem("DOCKER_HOST", text)).toContain("must be an address like unix:///var/run/docker.sock");
    },
  );

  test("with TLS needs its three files", async () => {
    const tls = { isVerified: true, certPath: "/nowhere" };

    await expect(addressOf("tcp://127.0.0.1", tls)).rejects.toThrow(
      "Set DOCKER_CERT_PATH to the folder of ca.pem, cert.pem and key.pem, or unset DOCKER_TLS_VERIFY.",
    );
  });
});

test.each([
  { newest: "1.41", oldest: "1.12", spoken: "1.41" },
  { newest: "1.43", oldest: "1.12", spoken: "1.43" },
  { newest: "1.52", oldest: "1.44", spoken: "1.44" },
  { newest: "1.60", oldest: "1.48", spoken: "1.48" },
])("a daemon with the API $oldest to $newest is spoken to in $spoken", ({ spoken, ...offered }) => {
  expect(apiVersion(offered)).toBe(spoken);
});
