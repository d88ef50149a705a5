import { expect, test } from "vitest";
import { checkImage, referenceOf } from "../../../../../src/service/engines/docker/images/registry.ts";

const digest = `sha256:${"0a".repeat(32)}`;

test.for([
  ["nginx", "nginx:latest", "docker.io", "library/nginx"],
  ["nginx:1.29", "nginx:1.29", "docker.io", "library/nginx"],
  ["team/app", "team/app:latest", "docker.io", "team/app"],
  ["docker.io/nginx:1", "docker.io/nginx:1", "docker.io", "library/nginx"],
  ["index.docker.io/team/app:1", "index.docker.io/team/app:1", "docker.io", "team/app"],
  ["localhost/app", "localhost/app:latest", "localhost", "app"],
  ["registry.example.com/team/app", "registry.example.com/team/app:latest", "registry.example.com", "team/app"],
  ["127.0.0.1:5000/app:2", "127.0.0.1:5000/app:2", "127.0.0.1:5000", "app"],
  ["[::1]:5000/app:2", "[::1]:5000/app:2", "[::1]:5000", "app"],
  [`127.0.0.1:5000/app@${digest}`, `127.0.0.1:5000/app@${digest}`, "127.0.0.1:5000", "app"],
  ["Registry.Example.com/team/app:V2", "Registry.Example.com/team/app:V2", "Registry.Example.com", "team/app"],
  [`app:2@${digest}`, `app:2@${digest}`, "docker.io", "library/app"],
] as const)("%s is pulled as %s", ([image, full, registry, repository]) => {
  expect(referenceOf(image)).toEqual({ full, registry, repository });
});

test.for([
  "",
  "Nginx",
  "app:",
  "app:a b",
  "team//app",
  "https://registry.example.com/app",
  "app@sha256:1",
  "-app",
  "app;rm",
])("%j is refused before anything is started", (image) => {
  expect(() => checkImage({ image }, "containers[0]")).toThrow(
    expect.objectContaining({ status: 400, message: expect.stringContaining("containers[0].image") }),
  );
});

test.for([
  ["Nginx", "nginx"],
  ["MyOrg/app:V2", "myorg/app:V2"],
  ["MyOrg/My-App", "myorg/my-app"],
  ["Registry.Example.com:5000/Team/App:V2", "Registry.Example.com:5000/team/app:V2"],
  ["localhost/App", "localhost/app"],
  [`App@${digest}`, `app@${digest}`],
] as const)("%s has capitals in its repository name, and %s is suggested", ([image, lower]) => {
  expect(() => checkImage({ image }, "containers[0]")).toThrow(
    expect.objectContaining({
      status: 400,
      message: `containers[0].image "${image}" isn't the name of an image: a repository name has no capital letters. Use "${lower}"`,
    }),
  );
});
