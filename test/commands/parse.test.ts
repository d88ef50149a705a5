import { describe, expect, test } from "vitest";
import { parseText } from "../../src/commands/parse.ts";
import { UserError } from "../../src/errors.ts";

/** What a person would read: the sentence, the next step, the usage line. */
function refusal(text: string): string {
  try {
    parseText(text);
  } catch (error) {
    if (error instanceof UserError) {
      return [error.message, error.next, error.usage, error.example].filter((part) => part !== undefined).join(" | ");
    }
    throw error;
  }
  return "no refusal";
}

describe("words become an Ask", () => {
  test.each<[string, string, object]>([
    ["", "help", {}],
    ["help create", "help", { verb: "create" }],
    ["list", "list", {}],
    ["LIST Services web --status Running", "list", { kind: "services", text: "web", status: "Running" }],
    ["list web", "list", { text: "web" }],
    ["show job/nightly", "show", { name: "job/nightly" }],
    ["logs web --from 100 --grep 'a b' --private", "logs", { name: "web", from: "100", grep: "a b", private: true }],
    ["scale web 4", "scale", { name: "web", size: "4" }],
    ["memory web 1Gi --container proxy", "memory", { name: "web", mib: "1Gi", container: "proxy" }],
    [
      "domains web add <http://shop.example.com|shop.example.com> b.example.com",
      "domains",
      { name: "web", edit: "add", domains: ["shop.example.com", "b.example.com"] },
    ],
    ["delete service/web", "delete", { name: "service/web" }],
    [
      'create service web --image gantry/hello-web --env A=1 --env "B=x y" --publish 8080 —instances 2 — --greeting "hi there"',
      "create",
      {
        kind: "service",
        name: "web",
        image: "gantry/hello-web",
        env: ["A=1", "B=x y"],
        publish: ["8080"],
        instances: "2",
        command: ["--greeting", "hi there"],
      },
    ],
    [
      "create job nightly --image gantry/batch --pull-always --volume data --mount data:/data",
      "create",
      {
        kind: "job",
        name: "nightly",
        image: "gantry/batch",
        "pull-always": true,
        volume: ["data"],
        mount: ["data:/data"],
      },
    ],
  ])("%s", (text, verb, args) => {
    const { ask } = parseText(text);

    expect(ask.verb).toBe(verb);
    expect(ask.args).toMatchObject(args);
  });

  test("region and share are known to every verb", () => {
    expect(parseText("restart web --region beijing2 --share").ask).toEqual({
      verb: "restart",
      region: "beijing2",
      share: true,
      args: { name: "web" },
    });
  });

  test("one hyphen before a flag is forgiven, and a word that only looks like one is kept", () => {
    expect(parseText("restart web -region beijing2").ask.region).toBe("beijing2");
    expect(parseText("create job a --image gantry/batch -- -region x").ask.args["command"]).toEqual(["-region", "x"]);
  });
});

describe("what cannot be understood is answered with what to do", () => {
  test.each<[string, string]>([
    [
      "restrat web",
      "There is no verb “restrat”. | Did you mean restart? Type help to see all verbs. | restart NAME | restart web",
    ],
    ["frobnicate", "There is no verb “frobnicate”. | Type help to see the verbs."],
    ["scale", "NAME is missing: say which workload. | scale NAME N | scale web 4"],
    ["scale web", "N, the number of instances, must be a whole number from 0 to 10000. | scale NAME N | scale web 4"],
    [
      "scale web many",
      "N, the number of instances, must be a whole number from 0 to 10000. | scale NAME N | scale web 4",
    ],
    [
      "scale web ''  ",
      "N, the number of instances, must be a whole number from 0 to 10000. | scale NAME N | scale web 4",
    ],
    [
      "scale web 0x10",
      "N, the number of instances, must be a whole number from 0 to 10000. | scale NAME N | scale web 4",
    ],
    [
      "scale web 1e9",
      "N, the number of instances, must be a whole number from 0 to 10000. | scale NAME N | scale web 4",
    ],
    [
      "scale web 2 3",
      "“3” is one word too many. | Put words that belong together in quotes. | scale NAME N | scale web 4",
    ],
    [
      "list --statsu Running",
      "There is no flag --statsu here. | Did you mean --status? | list [services|jobs] [TEXT] [--status S] | list services web --status Running",
    ],
    [
      "list --status",
      "--status needs a value. | Write --status S. | list [services|jobs] [TEXT] [--status S] | list services web --status Running",
    ],
    [
      "list --status --share",
      "--status needs a value. | Write --status S. | list [services|jobs] [TEXT] [--status S] | list services web --status Running",
    ],
    ["show web --share=yes", "--share takes no value. | Write --share alone. | show NAME | show web"],
    ["show web --region a --region b", "--region was given twice. | Give it once. | show NAME | show web"],
    [
      "show ../web",
      "NAME cannot be the name of a workload: write NAME, service/NAME or job/NAME, without any other “/”. | show NAME | show web",
    ],
    ["show service/", "NAME is missing: say which workload. | show NAME | show web"],
    [
      "show web -- rm",
      "Only create takes a command after --. | Leave out -- and what follows it. | show NAME | show web",
    ],
    [
      "memory web 300",
      "MIB must be 256, 512, 1024 or 2048: the service takes no other memory limit in MiB. | memory NAME MIB [--container C] | memory web 1024",
    ],
    [
      "domains web",
      "Say what to do with the domains: add, remove or set. | domains NAME add|remove|set DOMAIN… | domains web add shop.example.com",
    ],
    [
      "domains web add",
      "Say at least one domain name. | domains NAME add|remove|set DOMAIN… | domains web add shop.example.com",
    ],
    [
      "domains web add shop_1",
      "“shop_1” is not a domain name such as shop.example.com. | domains NAME add|remove|set DOMAIN… | domains web add shop.example.com",
    ],
    [
      "logs web --size 5000",
      "--size must be a whole number from 1 to 1000. | logs NAME [--instance I] [--date D] [--from N] [--size N] [--grep RE] [--private] | logs web --date yesterday --grep error",
    ],
    [
      "create thing a",
      "Say what to create: service or job. | create service|job NAME --image I [flags] [-- COMMAND…] | create job nightly --image gantry/batch -- 5 --exit 0",
    ],
    [
      "create job a",
      "--image is missing: say which image to run. | create service|job NAME --image I [flags] [-- COMMAND…] | create job nightly --image gantry/batch -- 5 --exit 0",
    ],
    [
      "create job a --image x --instances 2",
      "--instances is for a service, not for a job. | Leave it out. | create service|job NAME --image I [flags] [-- COMMAND…] | create job nightly --image gantry/batch -- 5 --exit 0",
    ],
    [
      "create job a --image x --mount data:/d",
      "--mount names the volume data, and no --volume declares it. | create service|job NAME --image I [flags] [-- COMMAND…] | create job nightly --image gantry/batch -- 5 --exit 0",
    ],
  ])("%s", (text, answer) => {
    expect(refusal(text)).toBe(answer);
  });

  test("the value of an environment variable is never said back", () => {
    expect(refusal("create job a --image x --env =hunter2")).not.toContain("hunter2");
    expect(refusal("create job a --image x --env 1=hunter2")).not.toContain("hunter2");
  });
});

test("a bad name is refused with the rule", () => {
  expect(refusal("create job Web_1 --image x")).toMatchInlineSnapshot(
    `"The name of a job has 1 to 50 lower-case letters, digits and "-", and begins with a letter; this one begins with "W". | create service|job NAME --image I [flags] [-- COMMAND…] | create job nightly --image gantry/batch -- 5 --exit 0"`,
  );
});
