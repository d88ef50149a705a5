import { describe, expect, test } from "vitest";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { refusal } from "../support/refusal.ts";

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
    ["approve k7q2mx", "approve", { id: "k7q2mx" }],
    ["reject #K7Q2MX --reason 'not today'", "reject", { id: "#K7Q2MX" }],
    ["cancel K7Q-2MX", "cancel", { id: "K7Q-2MX" }],
    ["pending", "pending", {}],
    [
      "history service/web --by <@U0DANA|dana> --since 7d --json",
      "history",
      { name: "service/web", by: "<@U0DANA|dana>", since: "7d", json: true },
    ],
    ["connect", "connect", { whose: "mine" }],
    ["connect Channel", "connect", { whose: "channel" }],
    ["disconnect channel", "disconnect", { whose: "channel" }],
    ["can-i scale web 0 --region us", "can-i", { verb: "scale", words: ["web", "0", "--region", "us"] }],
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

  test("every write takes a reason, on one line, and a word to break the glass", () => {
    expect(parseText("scale web 4 --reason ' too\n slow ' --break-glass").ask).toEqual({
      verb: "scale",
      share: false,
      reason: "too slow",
      breakGlass: true,
      args: { name: "web", size: "4" },
    });
    for (const command of commands.filter(({ effect }) => effect === "write")) {
      expect(command.options.map(({ flag }) => flag)).toEqual(
        expect.arrayContaining(["--reason TEXT", "--break-glass", "--region R", "--share"]),
      );
    }
  });

  test("reads and decisions have no glass to break", () => {
    expect(refusal("show web --break-glass")).toContain("I don't know the flag `--break-glass`.");
    expect(refusal("approve K7Q2MX --reason x")).toContain("I don't know the flag `--reason`.");
  });

  test("--share before the words of can-i's verb or behind them is can-i's own, but not in a container's command", () => {
    expect(parseText("can-i delete web --share").ask).toMatchObject({ share: true, args: { words: ["web"] } });
    expect(parseText("can-i create job a --image x -- --share").ask).toMatchObject({
      share: false,
      args: { words: ["job", "a", "--image", "x", "--", "--share"] },
    });
  });

  test("one hyphen before a flag is forgiven, and a word that only looks like one is kept", () => {
    expect(parseText("restart web -region beijing2").ask.region).toBe("beijing2");
    expect(parseText("create job a --image gantry/batch -- -region x").ask.args["command"]).toEqual(["-region", "x"]);
  });
});
