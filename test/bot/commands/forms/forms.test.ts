import { describe, expect, test } from "vitest";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import type { FormValues } from "../../../../src/bot/commands/forms/form.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { errorsOf, filledIn, formOf } from "../support/form-of.ts";

function idsOf(verb: string, values: FormValues = {}): string[] {
  return formOf(verb)
    .fields(values)
    .map(({ id, isMore, isOptional }) => `${isMore === true ? "+" : ""}${id}${isOptional === true ? "?" : ""}`);
}

// What stands behind "More settings" has a +, what may stay empty a ?. Of a verb that is not in this table, its own test
// says what its form asks for.
test.each([
  ["list", "kind? text? status? +region? +share?"],
  ["show", "name +region? +share?"],
  [
    "logs",
    "name grep? date? size? +instance? +from? +follow? +for? +around? +context? +previous? +file? +raw? +private? +region? +share?",
  ],
  ["create", "kind name image command? memory? +env? +port? +mount? +sync-timezone? +region? reason? +break-glass?"],
  ["scale", "name size +region? reason? +break-glass?"],
  ["memory", "name mib +container? +region? reason? +break-glass?"],
  ["domains", "name domains? +region? reason? +break-glass?"],
  ["start", "name +region? reason? +break-glass?"],
  ["stop", "name +region? reason? +break-glass?"],
  ["restart", "name +region? reason? +break-glass?"],
  ["delete", "name confirm +region? reason? +break-glass?"],
  ["approve", "id"],
  ["reject", "id reason?"],
  ["cancel", "id"],
  ["history", "name? by? +verb? since? +json? +share?"],
  ["can-i", "verb words? +share?"],
  ["use", "region? names? account? lock? +clear?"],
  ["connect", "whose"],
  ["disconnect", "whose"],
])("the form of %s asks for %s", (verb, ids) => {
  expect(idsOf(verb).join(" ")).toBe(ids);
});

test("the form of create asks for what its kind takes, and history for a day", () => {
  expect(idsOf("create", { kind: "service" }).join(" ")).toMatchInlineSnapshot(
    `"kind name image command? memory? instances? +env? +port? +publish? +volume? +mount? +domain? +sync-timezone? +region? reason? +break-glass?"`,
  );
  expect(idsOf("create", { kind: "job" }).join(" ")).toMatchInlineSnapshot(
    `"kind name image command? memory? +env? +port? +volume? +mount? +sync-timezone? +pull-always? notify? +region? reason? +break-glass?"`,
  );
  expect(idsOf("history", { since: "day" })).toContain("day");
});

test("a verb that cannot do without a word has a form to ask for it", () => {
  const needsWords = commands.filter(({ usage }) => / [a-z|]*[A-Z|]/u.test(usage.replaceAll(/\[[^\]]*\]/gu, "")));

  expect(needsWords.map(({ name }) => name)).toEqual(expect.arrayContaining(["show", "create", "domains", "approve"]));
  expect(needsWords.filter(({ form }) => form === undefined)).toEqual([]);
});

test("a masked value that comes back is asked for, and never becomes the value", () => {
  const service = { kind: "service", name: "web", image: "gantry/hello-web" };

  expect(errorsOf("create", { ...service, env: "LOG_LEVEL=info\nDB_PASSWORD=••••••" })).toEqual({
    env: "Type the value of DB_PASSWORD again. It isn't kept in forms.",
  });
});

test("what needs no argument needs no form", () => {
  const without = commands.filter(({ form }) => form === undefined).map(({ name }) => name);

  expect(without).toEqual(expect.arrayContaining(["pending", "whoami", "help"]));
});

describe("what is wrong stands under its field, in the form's own words", () => {
  const wrong: readonly (readonly [string, FormValues])[] = [
    ["scale", {}],
    ["scale", { name: "web", size: "many" }],
    ["scale", { name: "../web", size: "4", "break-glass": "yes" }],
    ["scale", { name: "web", size: "4", region: "../us", reason: "x".repeat(501) }],
    ["memory", { name: "web", mib: "512mb", container: "a\nb" }],
    ["domains", { name: "web", domains: "shop.example.com\n\nshop_1" }],
    ["delete", { name: "service/web", confirm: "wbe" }],
    ["delete", { name: "service/web" }],
    ["approve", {}],
    ["reject", { id: "web" }],
    ["logs", { name: "web", grep: "(", date: "2026-02-30", size: "5000", from: "-1" }],
    ["history", { by: "dana", since: "day", name: "a/b" }],
    ["can-i", {}],
    ["can-i", { verb: "frobnicate", words: 'web "0' }],
    ["create", {}],
    ["create", { kind: "thing", name: "web", image: "a b" }],
    [
      "create",
      {
        kind: "service",
        name: "Web_1",
        image: "a b",
        command: "“open",
        memory: "lots",
        instances: "-1",
        env: "A=1\n=hunter2",
        port: "8080\n99999",
        publish: "http",
        volume: "data",
        mount: "data",
        domain: "localhost",
      },
    ],
    ["create", { kind: "job", name: "nightly", mount: "data:/data\ntmp:/tmp", volume: "data" }],
  ];

  test("all of it at once, each field with its first sentence", () => {
    const said = wrong.map(([verb, values]) => {
      const lines = Object.entries(errorsOf(verb, values)).map(([id, sentence]) => `  ${id}: ${sentence}`);
      return [verb, ...lines].join("\n");
    });

    expect(said.join("\n")).toMatchInlineSnapshot(`
      "scale
        name: Name a workload.
        size: Instances must be a whole number from 0 to 1000.
      scale
        size: Instances must be a whole number from 0 to 1000.
      scale
        name: Not a workload name. Write “web”, “service/web” or “job/web”.
        reason: “Break glass” needs a reason: the channel and history show it.
      scale
        region: “Region” isn't a valid region name.
        reason: The reason has 501 characters; the limit is 500. Shorten it, or link to the details.
      memory
        mib: “512mb” isn't a memory size. Did you mean 512Mi?
        container: “Container” contains a line break or an invisible character. Type it again on one line.
      domains
        domains: Line 3: “shop_1” isn't a domain name. Write one like “shop.example.com”.
      delete
        confirm: Type web to confirm.
      delete
        confirm: Type web to confirm.
      approve
        id: “Request” is missing. Find it on the request's card, or with “pending”.
      reject
        id: “web” isn't a request ID. IDs have six letters and digits; “pending” lists them.
      logs
        from: “Skip the newest lines” must be a whole number from 0 to 10000000.
        size: “Lines” must be a whole number from 1 to 1000.
        date: Choose a day from the calendar.
        grep: I can't search for this regular expression: missing closing ): “(?i)(”. Plain text works too. Put a backslash before characters such as [ or (.
      history
        name: Not a workload name. Write “web”, “service/web” or “job/web”.
        by: “dana” isn't a person. Type @ after “Person” and pick one from Slack's list.
        day: “Date” is required.
      can-i
        verb: “Command” is required.
      can-i
        words: A quote isn't closed. Add the closing quote, or remove the opening one.
        verb: Choose “Command” from the list.
      create
        kind: Say what to create: service or job.
        name: “Name” is required.
        image: “Image” is required.
      create
        kind: Say what to create: service or job.
      create
        command: A quote isn't closed. Add the closing quote, or remove the opening one.
        image: “Image” isn't an image reference. Write one such as registry.example.com/team/web:1.4, at most 255 characters.
        env: Line 2: “Environment variables” takes NAME=value. The name has letters, digits and _, and doesn't start with a digit.
        port: Line 2: “99999” isn't a port. Write a number from 1 to 65535, such as 8080.
        mount: “data” isn't a mount. Write VOLUME:/absolute/path.
        memory: “lots” isn't a memory size. Write a size from 1 MiB to 1 TiB, as in 512 (MiB), 512Mi or 1Gi.
        instances: “Instances” must be a whole number from 0 to 1000.
        publish: “http” isn't a port. Write a number from 1 to 65535, such as 8080.
        volume: “data” isn't a service volume. Write NAME=DISK, or NAME=DISK:ro for read-only.
        domain: “localhost” isn't a domain name. Write one like “shop.example.com”.
        name: Names use lowercase letters, digits and dashes, and start with a letter. Did you mean “web-1”?
      create
        image: “Image” is required.
        mount: “Mounts” uses the volume tmp, but no “Volumes” declares it."
    `);
  });

  test("the value of an environment variable is never said back", () => {
    const said = errorsOf("create", { kind: "job", name: "a", image: "x", env: "=hunter2" });

    expect(Object.keys(said)).toEqual(["env"]);
    expect(JSON.stringify(said)).not.toContain("hunter2");
  });

  test("what somebody typed stays theirs, also when it looks like a flag or like a word of ours", () => {
    expect(errorsOf("create", { kind: "job", name: "a", image: "x", port: "--image NAME" })["port"]).toContain(
      "“--image NAME”",
    );
  });
});

describe("a form asks what words ask", () => {
  test.each<[string, string, FormValues]>([
    ["scale service/web 4 --region us", "scale", { name: "service/web", size: "4", region: "us" }],
    [
      "stop web --reason 'the sale  is over' --break-glass",
      "stop",
      { name: " web ", reason: "the sale\nis over", "break-glass": "yes" },
    ],
    ["domains web set", "domains", { name: "web" }],
    ["show web --share", "show", { name: "web", share: "yes" }],
    ["history --since 2026-11-20", "history", { since: "day", day: "2026-11-20" }],
    [
      'create job nightly --image x --env "A=x  y" -- sh -c "a &amp;&amp; b &lt;c&gt;"',
      "create",
      { kind: "job", name: "nightly", image: "x", env: "\n A=x  y \n", command: 'sh -c "a && b <c>"' },
    ],
  ])("%s", (text, verb, values) => {
    expect(filledIn(verb, values)).toEqual({ kind: "ask", ask: parseText(text).ask });
  });

  test("fields of the other kind, and what is no field, are left out", () => {
    const values = { kind: "job", name: "a", image: "x", instances: "3", like: "service/web", constructor: "x" };

    expect(filledIn("create", values)).toEqual({ kind: "ask", ask: parseText("create job a --image x").ask });
  });

  test("what a preview shows is agreed to before a list is overwritten or something new is made", () => {
    const previewed = commands.filter(({ form }) => form?.hasPreview === true).map(({ name }) => name);

    expect(previewed).toEqual(["create", "domains"]);
  });
});

test.each([
  ["nginx", true],
  ["registry.example.com:5000/team/web:1.4", true],
  [`gantry/hello-web@sha256:${"0123456789abcdef".repeat(4)}`, true],
  ["nginx:", false],
  ["https://registry.example.com/web", false],
  ["My Image", false],
])("the image %s is checked before the preview", (image, isFine) => {
  const errors = errorsOf("create", { kind: "service", name: "shop", image });

  if (isFine) expect(errors).toEqual({});
  else expect(errors["image"]).toMatch(/^“Image” isn't an image reference\. Write one such as /u);
});
