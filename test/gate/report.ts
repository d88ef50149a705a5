import { relative } from "node:path";
import { z } from "zod";

/** A test by its file and its whole name; the name is empty for a file that failed itself. */
export type Test = { readonly file: string; readonly name: string };
export type Failure = Test & { readonly said: string };

export type Report = {
  readonly passed: readonly Test[];
  readonly failures: readonly Failure[];
  readonly skipped: number;
};

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

/** Reads what Vitest's JSON reporter wrote; undefined if the run ended before it wrote. Paths become relative to `root`. */
export function readReport(text: string, root: string): Report | undefined {
  if (text === "") return undefined;
  const passed: Test[] = [];
  const failures: Failure[] = [];
  let skipped = 0;
  for (const { name: path, status, message, assertionResults } of Report.parse(JSON.parse(text)).testResults) {
    const file = relative(root, path);
    for (const { fullName: name, status: verdict, failureMessages } of assertionResults) {
      if (verdict === "passed") passed.push({ file, name });
      else if (verdict === "failed") failures.push({ file, name, said: (failureMessages ?? []).join("\n") });
      else skipped += 1;
    }
    const hasFailedTest = assertionResults.some((each) => each.status === "failed");
    if (status === "failed" && !hasFailedTest) failures.push({ file, name: "", said: message });
  }
  return { passed, failures, skipped };
}

export function titleOf({ file, name }: Test): string {
  return name === "" ? file : `${file}: ${name}`;
}
