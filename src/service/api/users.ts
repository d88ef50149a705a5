import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../platform/make-folder.ts";

/** A user of the service, with the token in plain text. */
export type Account = { readonly username: string; readonly token: string };

/** 36 random bytes as base64url are 48 characters, the length that the API's tokens have. */
export function makeToken(): string {
  return randomBytes(36).toString("base64url");
}

const nameForm = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;
const tokenForm = /^[\x21-\x2b\x2d-\x7e]{16,256}$/; // visible ASCII without the comma, which separates pairs

/**
 * Reads `name:token` pairs, separated by commas or lines. Throws an Error whose sentence says which pair is wrong; it
 * never holds a token.
 */
export function parseUsers(text: string): readonly Account[] {
  const pairs = text.split(/[,\n]/).map((pair) => pair.trim());
  const accounts = pairs.filter((pair) => pair !== "").map((pair, index) => accountOf(pair, index + 1));
  if (accounts.length === 0) throw new Error("add at least one user as name:token");
  const names = accounts.map(({ username }) => username);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`the user ${twice} is repeated: give each user one token`);
  return accounts;
}

function accountOf(pair: string, position: number): Account {
  const colon = pair.indexOf(":");
  const username = pair.slice(0, Math.max(colon, 0));
  const token = pair.slice(colon + 1);
  if (!nameForm.test(username)) {
    throw new Error(
      `user ${position} needs the form name:token, with a name of letters, digits and . _ @ - (at most 64)`,
    );
  }
  if (!tokenForm.test(token)) {
    throw new Error(`the token of ${username} must be 16 to 256 visible ASCII characters without a comma`);
  }
  return { username, token };
}

/** `isNew`: the tokens were just created and must be shown. */
export type StoredUsers = { readonly users: readonly Account[]; readonly path: string; readonly isNew: boolean };

/**
 * The users saved in `dataDir`. The first start creates them, with one token per name, in a file that only its owner can
 * read. Throws an Error that names the file if it can't be read, parsed or created; an existing file is never overwritten.
 */
export function storedUsers(dataDir: string, names: readonly string[]): StoredUsers {
  const path = join(dataDir, "service-users");
  const made = names.map((username) => ({ username, token: makeToken() }));
  const lines = made.map(({ username, token }) => `${username}:${token}\n`).join("");
  try {
    makeFolder(dataDir);
    writeFileSync(path, lines, { mode: 0o600, flag: "wx" });
    return { users: made, path, isNew: true };
  } catch (error) {
    // `mkdir` also fails with EEXIST when a file has the folder's name.
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST" && existsSync(path);
    if (!isThere) throw startError(path, error);
    return { users: readUsers(path), path, isNew: false };
  }
}

function readUsers(path: string): readonly Account[] {
  try {
    return parseUsers(readFileSync(path, "utf8"));
  } catch (error) {
    throw startError(path, error);
  }
}

function startError(path: string, error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error);
  const next = "Fix it, or move it away to create a new user. GANTRY_DATA sets its folder.";
  return new Error(`Can't use the users file ${path}: ${why}. Nothing was started. ${next}`, { cause: error });
}
