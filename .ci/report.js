// Reads the JSON report of a test run. Prints the numbers of passed, failed and skipped tests on the first line, then
// each failed test or file with the beginning of what it said. With --files, prints only the files that failed.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const filesOnly = process.argv[2] === "--files";
const text = readFileSync(process.argv.at(-1), "utf8");
const report = text === "" ? {} : JSON.parse(text);
const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, testResults = [] } = report;

const fileOf = ({ name }) => relative(process.cwd(), name);

if (filesOnly) {
  const files = testResults.filter(({ status }) => status === "failed").map(fileOf);
  process.stdout.write(files.map((file) => `${file}\n`).join(""));
  process.exit(0);
}

const lines = [`${numPassedTests} ${numFailedTests} ${numPendingTests}`];
const say = (title, message) => {
  lines.push(`    ${title}`);
  for (const line of message.split("\n").slice(0, 6)) lines.push(`      ${line.slice(0, 200)}`);
};
for (const result of testResults) {
  const { message, assertionResults } = result;
  const file = fileOf(result);
  const failed = assertionResults.filter(({ status }) => status === "failed");
  for (const { fullName, failureMessages } of failed) say(`${file}: ${fullName}`, failureMessages.join("\n"));
  if (failed.length === 0 && message) say(file, message);
}
process.stdout.write(`${lines.join("\n")}\n`);
