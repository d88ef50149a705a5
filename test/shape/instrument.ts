import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The name under which instrumented code reports each call; see `recorder.ts`. */
export const ENTER = "__gantryEnter";

/** From now on, modules that `wanted` picks report every function they enter. Call it before they are imported. */
export function instrument(wanted: (path: string) => boolean): void {
  registerHooks({
    load(url, context, nextLoad) {
      const path = url.startsWith("file:") ? fileURLToPath(url) : "";
      if (!path.endsWith(".ts") || !wanted(path)) return nextLoad(url, context);
      return { format: "module", source: instrumented(readFileSync(path, "utf8"), path), shortCircuit: true };
    },
  });
}

/** The JavaScript of a module in which every function begins with a call of the recorder. */
export function instrumented(text: string, path: string): string {
  const { outputText } = ts.transpileModule(text, {
    fileName: path,
    compilerOptions: {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
    transformers: {
      before: [(context) => (file) => ts.visitEachChild(file, (node) => visit(node, file, context), context)],
    },
  });
  return outputText;
}

function visit(node: ts.Node, file: ts.SourceFile, context: ts.TransformationContext): ts.Node {
  const inner = ts.visitEachChild(node, (child) => visit(child, file, context), context);
  const { factory } = context;
  if (ts.isArrowFunction(inner)) {
    const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken, body } = inner;
    const block = ts.isBlock(body) ? body : factory.createBlock([factory.createReturnStatement(body)]);
    const whole = reporting(block, { node, file, factory });
    return factory.updateArrowFunction(
      inner,
      modifiers,
      typeParameters,
      parameters,
      type,
      equalsGreaterThanToken,
      whole,
    );
  }
  if (ts.isFunctionDeclaration(inner) && inner.body !== undefined) {
    const { modifiers, asteriskToken, name, typeParameters, parameters, type, body } = inner;
    const whole = reporting(body, { node, file, factory });
    return factory.updateFunctionDeclaration(
      inner,
      modifiers,
      asteriskToken,
      name,
      typeParameters,
      parameters,
      type,
      whole,
    );
  }
  if (ts.isMethodDeclaration(inner) && inner.body !== undefined) {
    const { modifiers, asteriskToken, name, questionToken, typeParameters, parameters, type, body } = inner;
    const whole = reporting(body, { node, file, factory });
    return factory.updateMethodDeclaration(
      inner,
      modifiers,
      asteriskToken,
      name,
      questionToken,
      typeParameters,
      parameters,
      type,
      whole,
    );
  }
  return inner;
}

type Place = { readonly node: ts.Node; readonly file: ts.SourceFile; readonly factory: ts.NodeFactory };

function reporting(body: ts.Block, { node, file, factory }: Place): ts.Block {
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
  const call = factory.createCallExpression(factory.createIdentifier(ENTER), undefined, [
    factory.createStringLiteral(file.fileName),
    factory.createStringLiteral(`${nameOf(node)}:${line + 1}`),
  ]);
  return factory.updateBlock(body, [factory.createExpressionStatement(call), ...body.statements]);
}

function nameOf(node: ts.Node): string {
  if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.name !== undefined) {
    return node.name.getText();
  }
  const { parent } = node;
  if (parent !== undefined && ts.isVariableDeclaration(parent)) return parent.name.getText();
  if (parent !== undefined && ts.isPropertyAssignment(parent)) return parent.name.getText();
  return "anonymous";
}
