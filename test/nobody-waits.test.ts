import { relative, resolve } from "node:path";
import type tsc from "typescript";
import { expect, test } from "vitest";
import { notFullRun, onlyInFullRuns } from "./support/full-run.ts";

// A rejection that nobody handles ends the process. Lint finds promises that float as statements; it takes the chain
// `check().catch(() => save())` for handled, although `save` may reject, and `() => void check()` for meant.

onlyInFullRuns();

/** A second to load, so only where it is used. */
const ts = notFullRun === undefined ? (await import("typescript")).default : (undefined as unknown as typeof tsc);

const root = resolve(import.meta.dirname, "..");

/** Where a promise is left alone, other than by `unawaited`. */
function leftAlone(program: tsc.Program, files: readonly tsc.SourceFile[]): string[] {
  const checker = program.getTypeChecker();
  const isPromise = (node: tsc.Expression): boolean => {
    const type = checker.getTypeAtLocation(node);
    return [type, ...(type.isUnion() ? type.types : [])].some((each) => each.getProperty("then") !== undefined);
  };
  const found: string[] = [];
  for (const file of files) {
    const visit = (node: tsc.Node): void => {
      if (isSuspect(node) && !isHarmless(node.expression) && isPromise(node.expression)) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        found.push(
          `${relative(root, file.fileName)}:${line + 1}: ${node.getText().replaceAll(/\s+/gu, " ").slice(0, 120)}`,
        );
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

/** What lint lets pass; to ask for the type of any other statement would take twice the time. */
function isSuspect(node: tsc.Node): node is tsc.VoidExpression | tsc.ExpressionStatement {
  if (ts.isVoidExpression(node)) return true;
  if (!ts.isExpressionStatement(node) || !ts.isCallExpression(node.expression)) return false;
  const { expression: called } = node.expression;
  return ts.isPropertyAccessExpression(called) && chaining.has(called.name.text);
}

const chaining: ReadonlySet<string> = new Set(["then", "catch", "finally"]);

/** `work.catch(() => undefined)`, and `a = b` and `a ??= b`, whose promise somebody else has. */
function isHarmless(node: tsc.Expression): boolean {
  if (ts.isBinaryExpression(node)) return true;
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const [handler] = node.arguments;
  if (node.expression.name.text !== "catch" || handler === undefined) return false;
  return ts.isArrowFunction(handler) && handler.body.getText() === "undefined";
}

test("no promise is left alone in the sources, in whatever chain", () => {
  const { config } = ts.readConfigFile(resolve(root, "tsconfig.json"), (path) => ts.sys.readFile(path)) as {
    config: object;
  }; // JSON
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const sources = fileNames.filter((name) => relative(root, name).startsWith("src/"));
  const program = ts.createProgram(sources, options);
  const files = sources.flatMap((name) => program.getSourceFile(name) ?? []);
  expect(files.length).toBeGreaterThan(500);

  // `unawaited` itself ends such a chain.
  const own = /^src\/platform\/waiting\.ts:\d+: work\.catch\(onError\)\.catch\(warn\);$/u;
  expect(leftAlone(program, files)).toEqual([expect.stringMatching(own)]);
});

test("it would find a handler that may reject, a void, and a then without an end", () => {
  const text = `
    interface Promise<T> { then(a?: unknown, b?: unknown): Promise<T>; catch(a?: unknown): Promise<T> }
    declare const work: Promise<void>;
    declare function save(): Promise<void>;
    work.catch(() => save());
    const look = () => void save();
    work.then(() => save(), () => undefined);
    work.catch(() => undefined);
    await work;
  `;
  const plain = ts.createCompilerHost({});
  const given = ts.createSourceFile("given.ts", text, ts.ScriptTarget.ES2022, true);
  const host: tsc.CompilerHost = {
    ...plain,
    getSourceFile: (name, ...how) => (name === "given.ts" ? given : plain.getSourceFile(name, ...how)),
  };
  const program = ts.createProgram(["given.ts"], { target: ts.ScriptTarget.ES2022, noLib: true }, host);

  expect(leftAlone(program, [given]).map((place) => Number(place.split(":")[1]))).toEqual([5, 6, 7]);
});
