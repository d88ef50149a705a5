import { expect, test } from "vitest";
import { Away } from "../../../../../src/service/workloads/runtime.ts";
import { pullFailure } from "../../../../../src/service/engines/docker/images/images.ts";

const place = {
  full: "registry.example:5000/team/app:2",
  registry: "registry.example:5000",
  repository: "team/app",
  program: "docker",
  credentials: undefined,
} as const;

/** What Docker 20.10 and Podman 4.3 said of the same trouble. */
const said = {
  "there is no such image": [
    "manifest for registry.example:5000/team/app:2 not found: manifest unknown: manifest unknown",
    "initializing source docker://registry.example:5000/team/app:2: reading manifest 2 in registry.example:5000/team/app: manifest unknown: manifest unknown",
  ],
  "the registry wants credentials": [
    'Head "http://registry.example:5000/v2/team/app/manifests/2": no basic auth credentials',
    "unauthorized: authentication required",
    "initializing source docker://registry.example:5000/team/app:2: reading manifest 2 in registry.example:5000/team/app: unauthorized: authentication required",
  ],
  "it tells strangers nothing": [
    "denied",
    "pull access denied for team/app, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
    "initializing source docker://registry.example:5000/team/app:2: pinging container registry registry.example:5000: invalid status code from registry 403 (Forbidden)",
  ],
  "it is away": [
    'Get "http://registry.example:5000/v2/": dial tcp 127.0.0.1:5000: connect: connection refused',
    'Get "https://registry.example:5000/v2/": dial tcp: lookup registry.example on 127.0.0.53:53: no such host',
    'Get "http://registry.example:5000/v2/": net/http: request canceled (Client.Timeout exceeded while awaiting headers)',
    'initializing source docker://registry.example:5000/team/app:2: pinging container registry registry.example:5000: Get "https://registry.example:5000/v2/": dial tcp 127.0.0.1:5000: connect: connection refused',
    'writing blob: storing blob to file "/var/tmp/storage1336728481/1": happened during read: unexpected EOF',
  ],
  "it fails": [
    "received unexpected HTTP status: 503 Service Unavailable",
    "initializing source docker://registry.example:5000/team/app:2: pinging container registry registry.example:5000: invalid status code from registry 503 (Service Unavailable)",
  ],
  "it limits pulls": ["toomanyrequests: You have reached your pull rate limit."],
  "it has no TLS": [
    'pinging container registry registry.example:5000: Get "https://registry.example:5000/v2/": http: server gave HTTP response to HTTPS client',
  ],
  "its certificate isn't trusted": [
    'Get "https://registry.example:5000/v2/": x509: certificate signed by unknown authority',
  ],
  "it is for other platforms": ["no matching manifest for linux/amd64 in the manifest list entries"],
  "the disk is full": ["failed to register layer: write /app: no space left on device"],
  "anything else": ["the cat is on the cable"],
};

test("the reasons of Docker and Podman, for people", () => {
  const reasons = Object.entries(said).map(([what, texts]) => {
    return [what, ...new Set(texts.map((text) => pullFailure(text, place).message))];
  });
  expect(reasons).toMatchInlineSnapshot(`
    [
      [
        "there is no such image",
        "there is no image registry.example:5000/team/app:2",
      ],
      [
        "the registry wants credentials",
        "the registry registry.example:5000 wants credentials: run "docker login registry.example:5000" on the machine",
      ],
      [
        "it tells strangers nothing",
        "there is no public image registry.example:5000/team/app:2: check its name, or run "docker login registry.example:5000" on the machine",
      ],
      [
        "it is away",
        "the registry registry.example:5000 can't be reached for registry.example:5000/team/app:2 (connection refused)",
        "the registry registry.example:5000 can't be reached for registry.example:5000/team/app:2 (no such host)",
        "the registry registry.example:5000 can't be reached for registry.example:5000/team/app:2 (it didn't answer in time)",
        "the registry registry.example:5000 can't be reached for registry.example:5000/team/app:2 (unexpected EOF)",
      ],
      [
        "it fails",
        "the registry registry.example:5000 has an error (503)",
      ],
      [
        "it limits pulls",
        "the registry registry.example:5000 allows no more pulls for now (rate limit)",
      ],
      [
        "it has no TLS",
        "the registry registry.example:5000 has no TLS: use it as an insecure registry of Docker",
      ],
      [
        "its certificate isn't trusted",
        "the certificate of the registry registry.example:5000 isn't trusted (certificate signed by unknown authority)",
      ],
      [
        "it is for other platforms",
        "the image registry.example:5000/team/app:2 doesn't exist for this machine's platform",
      ],
      [
        "the disk is full",
        "the machine's disk is too full for the image registry.example:5000/team/app:2",
      ],
      [
        "anything else",
        "the image registry.example:5000/team/app:2 couldn't be pulled: the cat is on the cable",
      ],
    ]
  `);
});

test("of these, only a registry that is away, fails or limits pulls says nothing about the image", () => {
  const away = Object.entries(said).filter(([, texts]) =>
    texts.every((text) => pullFailure(text, place) instanceof Away),
  );

  expect(away.map(([what]) => what)).toEqual(["it is away", "it fails", "it limits pulls"]);
});

test("credentials that the registry doesn't accept, or that can't be read, are named", () => {
  const unauthorized = "unauthorized: authentication required";
  const reasons = [
    pullFailure(unauthorized, { ...place, credentials: { header: "e30" } }),
    pullFailure("denied", { ...place, credentials: { header: "e30" } }),
    pullFailure(unauthorized, { ...place, credentials: { problem: "auth.json: it can't be opened (EACCES)" } }),
    pullFailure(unauthorized, { ...place, program: "podman" }),
  ].map(({ message }) => message);
  expect(reasons).toMatchInlineSnapshot(`
    [
      "the registry registry.example:5000 refused the machine's credentials: run "docker login registry.example:5000" on the machine",
      "the machine's account may not pull registry.example:5000/team/app:2, or there is no such image",
      "the registry registry.example:5000 wants credentials, and the machine's can't be read: auth.json: it can't be opened (EACCES)",
      "the registry registry.example:5000 wants credentials: run "podman login registry.example:5000" on the machine",
    ]
  `);
});
