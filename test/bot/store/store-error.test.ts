import { expect, test } from "vitest";
import { StoreError } from "../../../src/bot/errors.ts";
import { storeErrorOf } from "../../../src/bot/store/database/session.ts";

function failing(message: string, fields: object = {}): Error {
  return Object.assign(new Error(message), fields);
}

test.each([
  [failing("connect ECONNREFUSED", { code: "ECONNREFUSED", syscall: "connect" }), "it can't be reached (ECONNREFUSED)"],
  [Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }), "it can't be reached (ECONNREFUSED)"],
  [failing("getaddrinfo ENOTFOUND", { code: "ENOTFOUND", syscall: "getaddrinfo" }), "it can't be reached (ENOTFOUND)"],
  [failing("timeout exceeded when trying to connect"), "it didn't answer in time"],
  [failing("Query read timeout"), "it didn't answer in time"],
  [failing("Connection terminated unexpectedly"), "it can't be reached"],
  [failing("canceling statement due to statement timeout", { code: "57014" }), "it didn't answer in time (57014)"],
  [failing("the database system is starting up", { code: "57P03" }), "it is stopping or starting (57P03)"],
  [
    failing("sorry, too many clients already", { code: "53300" }),
    "it reached a limit (connections, memory or disk) (53300)",
  ],
  [failing("cannot execute in a read-only transaction", { code: "25006" }), "it is read-only (25006)"],
  [
    failing("self-signed certificate", { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }),
    "its TLS certificate or protocol isn't accepted",
  ],
  [failing("certificate has expired", { code: "CERT_HAS_EXPIRED" }), "its TLS certificate or protocol isn't accepted"],
  [failing("database is locked", { code: "ERR_SQLITE_ERROR", errcode: 5 }), "another program has locked it"],
  [failing("database is locked", { code: "ERR_SQLITE_ERROR", errcode: 517 }), "another program has locked it"],
  [failing("database or disk is full", { code: "ERR_SQLITE_ERROR", errcode: 13 }), "its disk is full"],
])("trouble with the database says what it is and what to do: %s", (error, why) => {
  const told = storeErrorOf(error);

  expect(told).toBeInstanceOf(StoreError);
  expect(told?.message).toContain(why);
  expect(told?.message).toMatch(/^Gantry's database can't be used: .*Try again in a minute/u);
  // The database can also fail after a request was sent.
  expect(told?.message).not.toContain("Nothing was changed");
  expect(told?.cause).toBe(error);
});

test.each([
  [failing("syntax error at or near", { code: "42601" })],
  [failing("duplicate key value", { code: "23505", constraint: "change_pkey" })],
  [failing("UNIQUE constraint failed: change.id", { code: "ERR_SQLITE_ERROR", errcode: 1555 })],
  [failing("no such file", { code: "ENOENT" })],
  [new TypeError("x is not a function")],
  ["a thrown text"],
])("a bug stays what it is: %s", (error) => {
  expect(storeErrorOf(error)).toBeUndefined();
});

test("what is a StoreError already is not wrapped again", () => {
  const error = new StoreError("It is away.");

  expect(storeErrorOf(error)).toBe(error);
});
