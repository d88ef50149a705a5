import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** A text in the source that people may read; `{…}` is a part that the program fills in. */
export type Wording = { readonly file: string; readonly line: number; readonly text: string };

const src = join(import.meta.dirname, "../../src");

export function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/u.test(file))
    .toSorted();
}

/** Every text of a file that reads like words for people: it has a space, a capital letter first, or a symbol. */
export function wordingsIn(file: string, code = readFileSync(join(src, file), "utf8")): Wording[] {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const found: Wording[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== undefined && readsLikeWords(text) && !isForProgram(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push({ file, line: line + 1, text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isJsxText(node)) return node.text.replaceAll(/\s+/gu, " ").trim();
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.templateSpans.reduce(
    (text, { expression, literal }) => `${text}{${nameOf(expression)}}${literal.text}`,
    node.head.text,
  );
}

function nameOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : "…";
}

/** `web` and `updateService` are values of the program; "Approve", "try again" and "🟢" are for people. */
function readsLikeWords(text: string): boolean {
  const own = text.replaceAll(/\{[^}]*\}/gu, "");
  if (!/\p{L}{2}|\p{Extended_Pictographic}/u.test(own)) return false;
  return /\s\S/u.test(own.trim()) || /^\p{Lu}\p{Ll}+$/u.test(own.trim()) || /[^ -~]/u.test(own);
}

/** Names that take no words for people: what they get is SQL, a pattern, a header or a line of the log. */
const programCalls =
  /^(?:sql|prepare|exec|RegExp|log|debug|info|warn|error|fatal|child|querySelector|querySelectorAll|matches|closest|addEventListener|setHeader|header|get|has|startsWith|endsWith|includes|split|join|describe|style|css|TypeError|RangeError|setAttribute|matchMedia)$/u;

function isForProgram(node: ts.Node): boolean {
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
    const { parent } = at;
    if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent)) return true;
    if (ts.isTypeNode(at)) return true;
    if (ts.isPropertyAssignment(parent) && parent.name === at) return true;
    // Patterns of what people type.
    if (ts.isPropertyAssignment(parent) && parent.name.getText() === "phrases") return true;
    if (isComparison(parent)) return true;
    if (ts.isTaggedTemplateExpression(parent)) return true;
    if (isProgramCall(parent, at)) return true;
    if (ts.isFunctionLike(parent) || ts.isStatement(parent)) return ts.isThrowStatement(parent) && isDefect(parent);
  }
  return false;
}

function isComparison(node: ts.Node): boolean {
  if (ts.isCaseClause(node)) return true;
  return (
    ts.isBinaryExpression(node) &&
    [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken].includes(
      node.operatorToken.kind,
    )
  );
}

function isProgramCall(node: ts.Node, argument: ts.Node): boolean {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
  if (node.expression === argument) return false;
  const { expression } = node;
  return programCalls.test(ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText());
}

/** `throw new Error(…)` reports a mistake of ours: people read only that something went wrong, with a reference. */
function isDefect({ expression }: ts.ThrowStatement): boolean {
  return ts.isNewExpression(expression) && expression.expression.getText() === "Error";
}
