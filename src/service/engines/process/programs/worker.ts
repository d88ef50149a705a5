// gantry/worker: works through an endless queue and logs like a real program, errors included.
import { argumentsOf, print } from "./program.ts";

const { values, refuse } = argumentsOf("[--every MS]", ["every"]);
const everyMs = Number(values.every ?? 2_000);
if (!Number.isInteger(everyMs) || everyMs < 1) refuse("--every takes a number of milliseconds");

// Fake secrets. Real programs leak such lines, so anything that shows logs has to redact them.
const leaks = [
  "DEBUG connecting with aws_access_key_id=AKIAIOSFODNN7EXAMPLE",
  "DEBUG > Authorization: Bearer not-a-real-token-0123456789abcdefghij",
  "DEBUG database url: host=db.example.com user=worker password=not-a-real-password-1",
];

function work(item: number): void {
  print(`INFO item ${item} done in ${20 + ((item * 37) % 180)} ms`);
  if (item % 5 === 0) print(`WARN item ${item} took a second attempt`);
  if (item % 7 === 0) print(`ERROR item ${item} was given up: ${stack(item)}`, { to: process.stderr });
  if (item % 11 === 0) print(`${leaks[(item / 11) % leaks.length]}`);
}

function stack(item: number): string {
  return new Error(`the queue answered 502 for item ${item}`).stack ?? "";
}

let item = 0;
print("INFO worker started");
setInterval(() => work((item += 1)), everyMs);

process.on("SIGTERM", () => {
  print(`INFO stopping after ${item} items`);
  process.exit(0);
});
