import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { makeToken, parseUsers, storedUsers } from "../../../src/service/api/users.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gantry-users-"));
  folders.push(folder);
  return folder;
}

test("a token has 48 characters, and no two are the same", () => {
  const tokens = Array.from({ length: 100 }, makeToken);

  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{48}$/);
});

describe("users in a text", () => {
  test("are pairs with commas or lines between them", () => {
    expect(parseUsers(" dana:0123456789abcdef,\nalex.b@example.com:tok:en-0123456789 \n")).toEqual([
      { username: "dana", token: "0123456789abcdef" },
      { username: "alex.b@example.com", token: "tok:en-0123456789" },
    ]);
  });

  test.each([
    ["", "add at least one user as name:token"],
    ["dana", "user 1 needs the form name:token"],
    ["dana:0123456789abcdef,:0123456789abcdef", "user 2 needs the form name:token"],
    ["da na:0123456789abcdef", "user 1 needs the form name:token"],
    ["dana:short", "the token of dana must be 16 to 256 visible ASCII characters"],
    ["dana:0123456789abcdef,dana:abcdefghijklmnop", "the user dana is repeated"],
  ])("%j is refused without its tokens", (text, message) => {
    expect(() => parseUsers(text)).toThrow(message);
    expect(() => parseUsers(text)).not.toThrow(/0123456789abcdef|short/);
  });
});

describe("users in a folder", () => {
  test("that can't be read give an error that names the file and no token", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "service-users"), "dana:0123456789abcdef\nalex 0123456789abcdef\n");
    const blocked = join(folder, "file");
    writeFileSync(blocked, "");
    const said = [folder, blocked].map((dataDir) => {
      try {
        return storedUsers(dataDir, ["dana"]);
      } catch (error) {
        return String(error).replaceAll(folder, "FOLDER");
      }
    });

    expect(said).toMatchInlineSnapshot(`
      [
        "Error: Can't use the users file FOLDER/service-users: user 2 needs the form name:token, with a name of letters, digits and . _ @ - (at most 64). Nothing was started. Fix it, or move it away to create a new user. GANTRY_DATA sets its folder.",
        "Error: Can't use the users file FOLDER/file/service-users: EEXIST: file already exists, mkdir 'FOLDER/file'. Nothing was started. Fix it, or move it away to create a new user. GANTRY_DATA sets its folder.",
      ]
    `);
  });

  test("are made once, in a file that only its owner can read", () => {
    const folder = join(newFolder(), "data");

    const first = storedUsers(folder, ["dana", "alex"]);
    const second = storedUsers(folder, ["other"]);

    expect(first).toMatchObject({ isNew: true, path: join(folder, "service-users") });
    expect(first.users.map(({ username }) => username)).toEqual(["dana", "alex"]);
    expect(second).toEqual({ ...first, isNew: false });
    expect(statSync(first.path).mode & 0o777).toBe(0o600);
    expect(readFileSync(first.path, "utf8").split("\n")).toHaveLength(3);
  });
});
