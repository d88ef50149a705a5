import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isImagePattern, matchesImage } from "../../../src/bot/policy/patterns.ts";

const digest = `sha256:${"ab".repeat(32)}`;
const other = `sha256:${"cd".repeat(32)}`;

test.each([
  ["nginx", "nginx", true],
  ["nginx", "nginx:1.27", true],
  ["nginx", `nginx:1.27@${digest}`, true],
  ["nginx", "docker.io/library/nginx", true],
  ["docker.io/library/nginx:latest", "nginx", true],
  ["nginx", "index.docker.io/nginx", true],
  ["nginx", "shop/nginx", false],
  ["nginx", "registry.example.com/nginx", false],
  ["nginx", "registry.example.com/library/nginx", false],
  ["nginx*", "nginx-unprivileged", true],
  ["nginx*", "nginxinc/web", false],
  ["shop/*", "shop/web:1.4", true],
  ["shop/*", "docker.io/shop/team/web", true],
  ["shop/*", "shop", false],
  ["shop/*", "registry.example.com/shop/web", false],
  ["registry.example.com/shop/*", "registry.example.com/shop/web", true],
  ["registry.example.com/shop/*", "REGISTRY.Example.com:443/shop/web", true],
  ["registry.example.com/shop/*", "registry.example.com:5000/shop/web", false],
  ["registry.example.com/shop/*", "registry.example.com.evil.io/shop/web", false],
  ["registry.example.com/shop/*", "evil.io/registry.example.com/shop/web", false],
  ["registry.example.com/shop/*", "registry.example.com/shopping/web", false],
  ["registry.example.com:5000/*", "registry.example.com:05000/web", true],
  ["*.example.com/*", "eu.example.com/web", true],
  ["*.example.com/*", "evil.io/eu.example.com/web", false],
  ["*.example.com/*", "eu-example.com/web", false],
  ["docker.io/*", "evil/web", true],
  ["docker.io/*", "nginx", true],
  ["docker.io/*", "ghcr.io/evil/web", false],
  ["nginx:1.*", "nginx:1.27", true],
  ["nginx:1.*", "nginx:2", false],
  ["nginx:1.*", "nginx", false],
  [`nginx@${digest}`, `nginx:1@${digest}`, true],
  [`nginx@${digest}`, `nginx:1@${other}`, false],
  ["*@sha256:*", `registry.example.com/shop/web:2@${digest}`, true],
] as const)("%s names %s: %s", (pattern, image, isNamed) => {
  expect(isImagePattern(pattern)).toBe(true);
  expect(matchesImage(pattern, image)).toBe(isNamed);
});

test.each([
  ["a tag, where a digest decides what runs", "nginx:1.27", `nginx:1.27@${digest}`],
  ["a digest, which a tag doesn't tell", `nginx@${digest}`, "nginx:1.27"],
  ["a dot at the end of the host", "registry.example.com/shop/*", "registry.example.com./shop/web"],
  ["letters of another alphabet", "registry.example.com/shop/*", "regіstry.example.com/shop/web"],
  ["a wide dot", "registry.example.com/shop/*", "registry.example。com/shop/web"],
  ["capitals in the path", "shop/*", "shop/Web"],
  ["steps up", "registry.example.com/shop/*", "registry.example.com/shop/../evil/web"],
  ["an empty step", "registry.example.com/shop/*", "registry.example.com/shop//web"],
  ["a port that is none", "registry.example.com/*", "registry.example.com:99999/web"],
  ["somebody before the host", "registry.example.com/*", "dana@registry.example.com/web"],
  ["a scheme", "registry.example.com/*", "https://registry.example.com/web"],
  ["a digest that is too short", "nginx", "nginx@sha256:ab"],
  ["two digests", "nginx", `nginx@${digest}@${other}`],
  ["a line break", "nginx", "nginx:1\n"],
  ["a space", "nginx", " nginx"],
  ["nothing", "nginx", ""],
] as const)("what has %s is not known to be an image of a rule", (_, pattern, image) => {
  expect(matchesImage(pattern, image)).toBe("unknown");
});

test.each(
  [
    ["", "nginx:", "shop/", "*/web", "Shop/web", "reg*.example.com/x", "registry.example.com:*/x", "*example.com/x"],
    ["https://registry.example.com/x", "nginx@sha256:ab", "registry.example.com:70000/x", "shop web", "nginх"],
  ].flat(),
)("“%s” is no pattern", (text) => {
  expect(isImagePattern(text)).toBe(false);
});

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/u);
const tag = fc.constantFrom("", ":latest", ":1.4");
const registries = ["registry.example.com", "ghcr.io", "docker.io", "localhost:5000", "10.0.0.1"];

/** Other ways to write the same registry. */
function spelled(registry: string): fc.Arbitrary<string> {
  const hosts = registry === "docker.io" ? ["docker.io", "index.docker.io", "registry-1.docker.io"] : [registry];
  const ports = registry.includes(":") ? [""] : ["", ":443", ":0443"];
  return fc.tuple(fc.constantFrom(...hosts), fc.constantFrom(...ports), fc.array(fc.boolean())).map(
    ([host, port, upper]) =>
      Array.from(host)
        .map((each, at) => (upper[at] ? each.toUpperCase() : each))
        .join("") + port,
  );
}

/** Which registry and path Docker would ask, as its own library does it: the first part is a host or it isn't. */
function asked(image: string): { readonly registry: string; readonly path: string } {
  const plain = image.replace(/@.*$/su, "").replace(/:[^/]*$/u, "");
  const [first = "", ...rest] = plain.split("/");
  const isHost = rest.length > 0 && (/[.:]/u.test(first) || first === "localhost" || first.toLowerCase() !== first);
  const path = isHost ? rest.join("/") : plain;
  const registry = isHost ? first.toLowerCase().replace(/:0*443$/u, "") : "docker.io";
  return { registry, path: registry === "docker.io" && !path.includes("/") ? `library/${path}` : path };
}

describe("for any image", () => {
  test("it doesn't matter how its registry is written", () => {
    const written = fc
      .constantFrom(...registries)
      .chain((registry) => fc.tuple(fc.constant(registry), spelled(registry), spelled(registry), name, name, tag));
    fc.assert(
      fc.property(written, ([registry, one, two, team, web, version]) => {
        expect(matchesImage(`${one}/${team}/*`, `${two}/${team}/${web}${version}`)).toBe(true);
        for (const another of registries.filter((each) => each !== registry)) {
          expect(matchesImage(`${another}/${team}/*`, `${two}/${team}/${web}${version}`)).toBe(false);
        }
      }),
    );
  });

  test("a rule for a team's images covers nothing that an engine would get elsewhere", () => {
    const odd = [
      "/",
      ":",
      "@",
      ".",
      "..",
      "-",
      "*",
      "A",
      "а",
      "。",
      "\u200b",
      "\n",
      "%2f",
      ":443",
      ":5000",
      "@sha256:",
    ];
    const parts = ["registry.example.com", "REGISTRY.example.com", "evil.io", "shop", "web", "library", digest];
    const crafted = fc
      .array(fc.constantFrom(...parts, ...odd, "/", "/", ":1"), { minLength: 1, maxLength: 7 })
      .map((pieces) => pieces.join(""));
    const nearly = fc
      .tuple(fc.nat(27), fc.constantFrom(...odd, ...parts))
      .map(
        ([at, piece]) =>
          `${"registry.example.com/shop/web".slice(0, at)}${piece}${"registry.example.com/shop/web".slice(at)}`,
      );
    fc.assert(
      fc.property(fc.oneof(crafted, nearly, fc.string()), (image) => {
        if (matchesImage("registry.example.com/shop/*", image) !== true) return;
        const { registry, path } = asked(image);
        expect(registry).toBe("registry.example.com");
        expect(path).toMatch(/^shop\/[a-z0-9._/-]+$/u);
        expect(path.split("/")).not.toContain("..");
      }),
    );
  });
});
