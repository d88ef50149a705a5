import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { leadsBack } from "../support/stages.ts";

/**
 * How far a reader has to walk: `npm run shape`. With `-- --list` it names what it counts, with `-- --under bot/store`
 * only below a folder. A file at its best holds what one reads together, so no figure here is a limit.
 */

// Whoever reads only the beginning closes the pipe.
process.stdout.on("error", () => process.exit());

const root = join(import.meta.dirname, "../..");
const src = join(root, "src");
const options = process.argv.slice(2);
const isListed = options.includes("--list");
const under = options.includes("--under") ? (options[options.indexOf("--under") + 1] ?? "") : "";

type Source = { readonly file: string; readonly lines: number; readonly tree: ts.SourceFile };

const sources: readonly Source[] = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && file !== "api/schema.ts")
  .toSorted()
  .map((file) => {
    const text = readFileSync(join(src, file), "utf8");
    return {
      file,
      lines: text.split("\n").length - 1,
      tree: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true),
    };
  });
const counted = sources.filter(({ file }) => file.startsWith(under));

/** Also of types: who reads a file reads what its types are. */
function importsOf({ file, tree }: Source): string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const isStatement = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
    const isLate = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
    const from = isStatement ? node.moduleSpecifier : isLate ? node.arguments[0] : undefined;
    if (from !== undefined && ts.isStringLiteral(from) && from.text.startsWith(".")) {
      found.add(relative(src, resolve(src, dirname(file), from.text)));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return [...found];
}

const imports = new Map(sources.map((source) => [source.file, importsOf(source)]));
const importers = new Map<string, string[]>();
for (const [file, targets] of imports) {
  for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file]);
}

/** Groups of files that import each other in a circle: strongly connected components, by Tarjan. */
function circles(): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const walk = (file: string): void => {
    const at = index.size;
    index.set(file, at);
    low.set(file, at);
    stack.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!imports.has(target)) continue;
      if (!index.has(target)) walk(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file) ?? at, low.get(target) ?? at));
    }
    if (low.get(file) !== at) return;
    const members = stack.splice(stack.indexOf(file));
    if (members.length > 1) found.push(members);
  };
  for (const { file } of sources) if (!index.has(file)) walk(file);
  return found.filter((members) => members.some((file) => file.startsWith(under)));
}

/** Functions that a file keeps to itself, with at most six lines, that are named once more: where they are called. */
function calledOnce({ file, tree }: Source): string[] {
  const named = new Map<string, number>();
  const count = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) named.set(node.text, (named.get(node.text) ?? 0) + 1);
    ts.forEachChild(node, count);
  };
  count(tree);
  return tree.statements
    .filter((statement) => ts.isFunctionDeclaration(statement))
    .filter(({ modifiers }) => !modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    .filter((statement) => {
      const from = tree.getLineAndCharacterOfPosition(statement.getStart(tree)).line;
      const to = tree.getLineAndCharacterOfPosition(statement.end).line;
      return to - from < 6 && named.get(statement.name?.text ?? "") === 2;
    })
    .map(({ name }) => `${file} ${name?.text}`);
}

function say(name: string, found: readonly unknown[]): void {
  process.stdout.write(`${String(found.length).padStart(6)}  ${name}\n`);
  if (isListed) for (const each of found) process.stdout.write(`          ${[each].flat().join(", ")}\n`);
}

const sizes = counted.map(({ lines }) => lines).toSorted((a, b) => a - b);
const sum = sizes.reduce((total, lines) => total + lines, 0);
const at = (part: number): number => sizes[Math.floor((sizes.length - 1) * part)] ?? 0;
process.stdout.write(`${String(sizes.length).padStart(6)}  files: ${sum} lines, median ${at(0.5)}, p90 ${at(0.9)}\n`);
say(
  "files under 30 lines",
  counted.filter(({ lines }) => lines < 30).map(({ file, lines }) => `${file} (${lines})`),
);
say(
  "files under 60 lines whose one importer is in their folder",
  counted
    .filter(({ lines }) => lines < 60)
    .filter(({ file }) => {
      const [only, ...more] = importers.get(file) ?? [];
      return only !== undefined && more.length === 0 && dirname(only) === dirname(file);
    })
    .map(({ file, lines }) => `${file} (${lines}) into ${importers.get(file)?.[0]}`),
);
say("private functions of up to six lines that are called once", counted.flatMap(calledOnce));
say("circles of imports, those of types included", circles());
say(
  "imports of the workflow that lead back",
  [...imports].flatMap(([file, targets]) =>
    targets.filter((target) => leadsBack({ file, target })).map((target) => `${file} imports ${target}`),
  ),
);
if (under === "") {
  process.stdout.write("\n/gantry scale web 3\n");
  const path = join(import.meta.dirname, "request-path.ts");
  const { status } = spawnSync(process.execPath, [path, ...(isListed ? ["--verbose"] : [])], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}
