import { describe, expect, test } from "vitest";
import { redactLines } from "../../src/logs/redact.ts";

describe("values that are known to be secret", () => {
  test.each([
    ["as they are", "hello swordfish7!", ["swordfish7"], "hello [redacted]!"],
    ["in JSON", String.raw`{"a":"x\"y\\zzz"}`, [String.raw`x"y\zzz`], `{"a":"[redacted]"}`],
    ["in an address", "GET /?q=bob%3Asword%20fish", ["bob:sword fish"], "GET /?q=[redacted]"],
    ["the password of an address", "login sw0rd-fish", ["postgres://bob:sw0rd-fish@db/x"], "login [redacted]"],
    ["the longer one first", "a swordfish-and-more", ["swordfish", "swordfish-and-more"], "a [redacted]"],
    ["each line of several", "got bbbbbbbbbbbbbb", ["aaaaaaaaaaaaaa\nbbbbbbbbbbbbbb"], "got [redacted]"],
    ["but no word that tells of others", "password: hunter2", ["password"], "[redacted]: [redacted]"],
  ])("%s", (...[, line, secrets, expected]) => {
    expect(redactLines([line], secrets)).toEqual([expected]);
  });

  test.each(["true", "on", "info", "production", "99999", "8080", "localhost", "512Mi", "en_US.UTF-8", "short"])(
    "%s is too ordinary to be taken out",
    (value) => {
      const line = `it says ${value} here`;

      expect(redactLines([line], [value])).toEqual([line]);
    },
  );
});
