import { describe, expect, test } from "vitest";
import { z } from "zod";
import { usageOf } from "../../../../src/bot/commands/grammar/arguments.ts";
import { optionsOf } from "../../../../src/bot/commands/grammar/flags.ts";
import { refusal } from "../support/refusal.ts";

describe("what cannot be understood is answered with what to do", () => {
  test.each<[string, string]>([
    ["restrat web", "I don't know `restrat`. | Did you mean `restart`?"],
    ["frobnicate", "I don't know `frobnicate`. | See all commands with `help`."],
    ["scale", "`scale` needs a workload. | scale NAME N | scale web 4"],
    ["scale web", "Instances must be a whole number from 0 to 1000. | scale NAME N | scale web 4"],
    ["scale web many", "Instances must be a whole number from 0 to 1000. | scale NAME N | scale web 4"],
    ["scale web ''  ", "Instances must be a whole number from 0 to 1000. | scale NAME N | scale web 4"],
    ["scale web 0x10", "Instances must be a whole number from 0 to 1000. | scale NAME N | scale web 4"],
    ["scale web 1e9", "Instances must be a whole number from 0 to 1000. | scale NAME N | scale web 4"],
    [
      "scale web 2 3",
      "`scale` doesn't take `3`. | Remove it, or put words that belong together in quotes. | scale NAME N | scale web 4",
    ],
    [
      "scale web 2 LOG=debug",
      "`scale` doesn't take `LOG=debug`. | Remove it, or put words that belong together in quotes. | scale NAME N | scale web 4",
    ],
    [
      "list --statsu Running",
      "I don't know the flag `--statsu`. | Did you mean `--status`? | list [services|jobs] [failed|running|stopped|…] [TEXT] | list failed",
    ],
    [
      "list --status",
      "`--status` needs a value. | Write `--status S`. | list [services|jobs] [failed|running|stopped|…] [TEXT] | list failed",
    ],
    [
      "list --status --share",
      "`--status` needs a value. | Write `--status S`. | list [services|jobs] [failed|running|stopped|…] [TEXT] | list failed",
    ],
    ["show web --share=yes", "`--share` doesn't take a value. | Write `--share` alone. | show NAME | show web"],
    ["show web --region a --region b", "`--region` appears twice. | Use it once. | show NAME | show web"],
    [
      "show web --region a/b",
      "`a/b` can't be a region's name. | Write `--region R`, like `--region beijing1`. | show NAME | show web",
    ],
    ["show ../web", "Not a workload name. Write `web`, `service/web` or `job/web`. | show NAME | show web"],
    ["show service/", "`show` needs a workload. | show NAME | show web"],
    [
      "show web -- rm",
      "Only `create` takes a command after `--`. | Remove `--` and everything after it. | show NAME | show web",
    ],
    ...[
      ["512mb", "isn't a memory size. Did you mean 512Mi?"],
      ["1.5GB", "isn't a memory size. Did you mean 1.5Gi?"],
      ["0", "isn't a memory size. Write a size from 1 MiB to 1 TiB, as in 512 (MiB), 512Mi or 1Gi."],
      ["1e9Ti", "isn't a memory size. Write a size from 1 MiB to 1 TiB, as in 512 (MiB), 512Mi or 1Gi."],
      ["9999Ti", "isn't a memory size. Write a size from 1 MiB to 1 TiB, as in 512 (MiB), 512Mi or 1Gi."],
      ["0.5", "isn't a whole number of MiB. Did you mean 1Mi?"],
      ["0.3Gi", "isn't a whole number of MiB. Did you mean 308Mi?"],
    ].map(([size = "", sentence = ""]): [string, string] => [
      `memory web ${size}`,
      `“${size}” ${sentence} | memory NAME MIB [--container C] | memory web 1024`,
    ]),
    [
      "memory web",
      "MIB must be a size from 1 MiB to 1 TiB, as in 512 (MiB), 512Mi or 1Gi. | memory NAME MIB [--container C] | memory web 1024",
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
      "`shop_1` isn't a domain name. Write one like `shop.example.com`. | domains NAME add|remove|set DOMAIN… | domains web add shop.example.com",
    ],
    [
      "logs web --size 5000",
      "--size must be a whole number from 1 to 1000. | logs NAME [--instance I] [--date D] [--from N] [--size N] [--grep RE] [--context N] [--around TIME] [--since T] [--previous] [--file] [--raw] [--follow] [--for T] [--private] | logs web --date yesterday --grep error",
    ],
    [
      "create thing a",
      "Say what to create: service or job. | create service|job NAME --image I [flags] [-- COMMAND…] | create job nightly --image gantry/batch -- 5 --exit 0",
    ],
    [
      "create job a",
      "--image is required. | create service|job NAME --image I [flags] [-- COMMAND…] | create job nightly --image gantry/batch -- 5 --exit 0",
    ],
    [
      "create job a --image x --instances 2",
      "--instances is only for a service. | Leave it out. | create service|job NAME --image I [flags] [-- COMMAND…] | create job nightly --image gantry/batch -- 5 --exit 0",
    ],
    [
      "create job a --image x --mount data:/d",
      "--mount uses the volume data, but no --volume declares it. | create service|job NAME --image I [flags] [-- COMMAND…] | create job nightly --image gantry/batch -- 5 --exit 0",
    ],
    [
      "scale web 4 --reason '  '",
      'The reason is empty. | Say why in quotes: `--reason "too slow"`. | scale NAME N | scale web 4',
    ],
    [
      "stop web --reason " + "x".repeat(501),
      "The reason has 501 characters; the limit is 500. | Shorten it, or link to the details. | stop NAME… | stop web",
    ],
    [
      "scale web 4 --reason too slow",
      "`scale` doesn't take `slow`. | Put the whole reason in quotes. | scale NAME N | scale web 4",
    ],
    [
      "delete web --break-glass",
      "`--break-glass` needs a reason: the channel and history show it. | Add `--reason TEXT`. | delete NAME… | delete job/nightly-report",
    ],
    ["approve", "ID is missing. Find it on the request's card, or with `pending`. | approve ID | approve K7Q2MX"],
    [
      "approve web",
      "`web` isn't a request ID. IDs have six letters and digits; `pending` lists them. | approve ID | approve K7Q2MX",
    ],
    [
      "history --since monday",
      "I can't read the time “monday”. Use 30m, 12h, 7d, 2w, today, yesterday or a day such as 2026-11-20. | history [NAME] [--by @user] [--verb restart] [--since 7d] [--json] | history web --since 7d",
    ],
    [
      "history --since 2026-02-30",
      "I can't read the time “2026-02-30”. Use 30m, 12h, 7d, 2w, today, yesterday or a day such as 2026-11-20. | history [NAME] [--by @user] [--verb restart] [--since 7d] [--json] | history web --since 7d",
    ],
    [
      "history --by dana",
      "“dana” isn't a person. Type @ after --by and pick one from Slack's list. | history [NAME] [--by @user] [--verb restart] [--since 7d] [--json] | history web --since 7d",
    ],
    ["can-i", "`can-i` needs a command to check. | can-i COMMAND [ARGUMENTS…] | can-i scale web 0"],
    ["can-i frobnicate web", "I don't know `frobnicate`. | See all commands with `help`."],
    ["can-i restrat web", "I don't know `restrat`. | Did you mean `restart`? | restart NAME… | restart web"],
  ])("%s", (text, answer) => {
    expect(refusal(text)).toBe(answer);
  });

  test("the value of an environment variable is never said back", () => {
    for (const env of ["=hunter2", "1=hunter2"]) {
      const said = refusal(`create job a --image x --env ${env}`);

      expect(said).toContain("--env takes NAME=value");
      expect(said).not.toContain("hunter2");
    }
  });
});

describe("a token does not belong into a command line", () => {
  test.each([
    "connect hunter2",
    "connect channel hunter2",
    "disconnect hunter2",
    "connect --token hunter2",
    "connect -- hunter2",
  ])("%s is refused without being said back", (text) => {
    expect(refusal(text)).not.toContain("hunter2");
    expect(refusal(text)).toContain("Revoke that token now");
  });

  test("it says what to do instead", () => {
    expect(refusal("connect hunter2")).toMatchInlineSnapshot(
      `"\`connect\` takes only the word \`channel\` or \`workspace\`. If you typed a token, it isn't safe any more. | Revoke that token now: others may be able to read it. Then use \`/gantry connect\`, which asks for the token in a form. | connect [channel|workspace] | connect"`,
    );
  });
});

test("a bad name is refused with the rule", () => {
  expect(refusal("create job Web_1 --image x")).toMatchInlineSnapshot(
    `"Names use lowercase letters, digits and dashes, and start with a letter. Did you mean “web-1”? | create service|job NAME --image I [flags] [-- COMMAND…] | create job nightly --image gantry/batch -- 5 --exit 0"`,
  );
});

test("a flag that only sentences need is in no help, and nobody is asked whether they meant it", () => {
  const flags = { brief: { summary: "in two lines", isInternal: true }, full: { summary: "all of it" } } as const; // literal flags

  expect(optionsOf(flags)).toEqual([{ flag: "--full", summary: "all of it" }]);
  expect(usageOf({ name: "show", example: "show web", args: z.object({}), flags })).toBe("show [--full]");
  expect(refusal("show web --breif")).not.toContain("--brief");
});
