import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ESTree, parseSync } from "rolldown/utils";

type Node = ESTree.Node;

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
  const { program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found: Wording[] = [];
  /** The innermost last. */
  const above: Node[] = [];
  const visit = (node: Node): void => {
    const text = textOf(node);
    if (text !== undefined && readsLikeWords(text) && !isForProgram(node, above, code)) {
      found.push({ file, line: code.slice(0, node.start).split("\n").length, text });
    }
    above.push(node);
    for (const part of Object.values(node) as unknown[]) {
      if (isNode(part)) visit(part);
      else if (Array.isArray(part)) for (const each of part) if (isNode(each)) visit(each);
    }
    above.pop();
  };
  visit(program);
  return found;
}

function isNode(part: unknown): part is Node {
  return typeof part === "object" && part !== null && "type" in part;
}

function textOf(node: Node): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "JSXText") return node.value.replaceAll(/\s+/gu, " ").trim();
  if (node.type !== "TemplateLiteral") return undefined;
  const [first, ...rest] = node.quasis.map(({ value }) => value.cooked ?? "");
  return rest.reduce((text, part, at) => `${text}{${nameOf(node.expressions[at])}}${part}`, first ?? "");
}

function nameOf(expression: ESTree.Expression | undefined): string {
  if (expression?.type === "ChainExpression") return nameOf(expression.expression);
  if (expression?.type === "Identifier") return expression.name;
  return expression?.type === "MemberExpression" && !expression.computed ? expression.property.name : "…";
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

function isForProgram(node: Node, above: readonly Node[], code: string): boolean {
  let at = node;
  for (const parent of above.toReversed()) {
    if (parent.type === "ImportDeclaration" || ("source" in parent && parent.source === at)) return true;
    if (isType.test(at.type)) return true;
    if (parent.type === "Property") {
      if (parent.key === at) return true;
      // Patterns of what people type.
      if (parent.key.type === "Identifier" && parent.key.name === "phrases") return true;
    }
    if (isComparison(parent)) return true;
    if (parent.type === "TaggedTemplateExpression") return true;
    if (isProgramCall(parent, at, code)) return true;
    if (parent.type === "ThrowStatement") return isDefect(parent);
    if (endsText.test(parent.type)) return false;
    at = parent;
  }
  return false;
}

const isType = /^TS\w*(?:Type|Keyword|TypeAnnotation)$/u;
/** Functions and statements. */
const endsText = /^(?:FunctionExpression|ArrowFunctionExpression)$|(?:Statement|Declaration)$/u;

function isComparison(node: Node): boolean {
  if (node.type === "SwitchCase") return true;
  return node.type === "BinaryExpression" && ["===", "!=="].includes(node.operator);
}

function isProgramCall(node: Node, argument: Node, code: string): boolean {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return false;
  const { callee } = node;
  if (callee === argument) return false;
  const isNamed = callee.type === "MemberExpression" && !callee.computed;
  const { start, end } = isNamed ? callee.property : callee;
  return programCalls.test(code.slice(start, end));
}

/** `throw new Error(…)` reports a mistake of ours: people read only that something went wrong, with a reference. */
function isDefect({ argument }: ESTree.ThrowStatement): boolean {
  return argument.type === "NewExpression" && argument.callee.type === "Identifier" && argument.callee.name === "Error";
}
