// Reads the JSON report of a test run. Prints the numbers of passed, failed and skipped tests on the first line, then
// each failed test or file with the beginning of what it said.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const text = readFileSync(process.argv[2], "utf8");
const report = text === "" ? {} : JSON.parse(text);
const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, testResults = [] } = report;

const lines = [`${numPassedTests} ${numFailedTests} ${numPendingTests}`];
const say = (title, message) => {
  lines.push(`    ${title}`);
  for (const line of message.split("\n").slice(0, 6)) lines.push(`      ${line.slice(0, 200)}`);
};
for (const { name, message, assertionResults } of testResults) {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter(({ status }) => status === "failed");
  for (const { fullName, failureMessages } of failed) say(`${file}: ${fullName}`, failureMessages.join("\n"));
  if (failed.length === 0 && message) say(file, message);
}
process.stdout.write(`${lines.join("\n")}\n`);
