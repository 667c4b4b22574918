/** The counts of `npm run house`, taken from the syntax trees of the compiler. */
import * as ast from 'typescript/unstable/ast';

/** @import { Node, SourceFile } from 'typescript/unstable/ast' */

/**
 * @typedef {object} Place
 * @property {string} name
 * @property {number} line from 1
 */

/** @typedef {Place & { lines: number, isTable: boolean }} LongFunction */
/** @typedef {Place & { captured: readonly string[] }} Closure */

/**
 * @typedef {object} Scope
 * @property {Scope | undefined} outer
 * @property {Node | undefined} owner The function of the scope; nothing at the level of the module.
 * @property {Map<string, boolean>} names Whether each name is a `let`.
 */

/** A function above this many lines is long. */
const MAX_LINES = 80;
/** A function that shares more `let`s than this with its nested functions wants a class. */
const MAX_CAPTURED = 4;
/** Functions inside a table may have this many lines; more is logic. */
const MAX_TABLE_FUNCTION = 3;

/** @param {Node} node @returns {Node[]} */
const childrenOf = (node) => {
  /** @type {Node[]} */
  const children = [];
  node.forEachChild((child) => {
    children.push(child);
  });
  return children;
};

/** @param {SourceFile} source @param {number} position */
const lineOf = (source, position) => source.getLineAndCharacterOfPosition(position).line + 1;

/** @param {SourceFile} source @param {Node} node */
const linesOf = (source, node) => lineOf(source, node.end) - lineOf(source, node.getStart(source)) + 1;

/** @param {SourceFile} source @param {Node} node */
const nameOf = (source, node) => {
  const own = /** @type {{ name?: Node }} */ (/** @type {unknown} */ (node)).name;
  const name = own ?? /** @type {{ name?: Node }} */ (/** @type {unknown} */ (node.parent)).name;
  return (
    name?.getText(source) ?? (node.kind === ast.SyntaxKind.Constructor ? 'constructor' : 'a function without a name')
  );
};

/**
 * Reports whether most of a function is one literal without logic in it.
 *
 * @param {SourceFile} source
 * @param {Node} body
 */
const isTable = (source, body) => {
  const half = linesOf(source, body) / 2;
  /** @param {Node} node @returns {boolean} */
  const holdsLogic = (node) =>
    ast.isFunctionLikeDeclaration(node)
      ? linesOf(source, node) > MAX_TABLE_FUNCTION
      : childrenOf(node).some(holdsLogic);
  /** @param {Node} node @returns {boolean} */
  const find = (node) => {
    if (linesOf(source, node) <= half) return false;
    const isLiteral = ast.isObjectLiteralExpression(node) || ast.isArrayLiteralExpression(node);
    return isLiteral ? !holdsLogic(node) : childrenOf(node).some(find);
  };
  return childrenOf(body).some(find);
};

/**
 * Returns the functions above 80 lines; an outer function counts the lines of its nested functions.
 *
 * @param {SourceFile} source
 * @returns {LongFunction[]}
 */
export const longFunctions = (source) => {
  /** @type {LongFunction[]} */
  const found = [];
  /** @param {Node} node */
  const visit = (node) => {
    const lines = ast.isFunctionLikeDeclaration(node) ? linesOf(source, node) : 0;
    if (lines > MAX_LINES) {
      const line = lineOf(source, node.getStart(source));
      found.push({ name: nameOf(source, node), line, lines, isTable: isTable(source, node) });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(source);
  return found;
};

/** Nodes whose declarations are visible only inside them. @param {Node} node */
const opensScope = (node) =>
  ast.isFunctionLikeDeclaration(node) ||
  node.kind === ast.SyntaxKind.SourceFile ||
  node.kind === ast.SyntaxKind.Block ||
  node.kind === ast.SyntaxKind.CaseBlock ||
  node.kind === ast.SyntaxKind.CatchClause ||
  node.kind === ast.SyntaxKind.ForStatement ||
  node.kind === ast.SyntaxKind.ForInStatement ||
  node.kind === ast.SyntaxKind.ForOfStatement;

/** @param {Node} node @returns {string[]} the names of a declaration, whether one or a pattern */
const boundNames = (node) => {
  const { name } = /** @type {{ name?: Node }} */ (/** @type {unknown} */ (node));
  if (name === undefined) return [];
  return ast.isIdentifier(name) ? [name.text] : childrenOf(name).flatMap(boundNames);
};

/**
 * Collects the names that a scope declares itself.
 *
 * @param {Node} node
 * @param {Map<string, boolean>} names
 */
const collectNames = (node, names) => {
  for (const child of childrenOf(node)) {
    const isNamed = child.kind === ast.SyntaxKind.Parameter || ast.isVariableDeclaration(child);
    if (isNamed) {
      const list = child.parent;
      const isLet = ast.isVariableDeclarationList(list) && (list.flags & ast.NodeFlags.Let) !== 0;
      for (const name of boundNames(child)) names.set(name, isLet);
    }
    if (child.kind === ast.SyntaxKind.FunctionDeclaration || child.kind === ast.SyntaxKind.ClassDeclaration) {
      for (const name of boundNames(child)) names.set(name, false);
    }
    if (!opensScope(child)) collectNames(child, names);
  }
};

/** Reports whether an identifier names a member or a key and not a variable. @param {Node} node */
const isMemberName = (node) => {
  const { parent } = node;
  if (ast.isPropertyAccessExpression(parent)) return parent.name === node;
  if (parent.kind === ast.SyntaxKind.PropertyAssignment || parent.kind === ast.SyntaxKind.PropertySignature) {
    return /** @type {{ name?: Node }} */ (/** @type {unknown} */ (parent)).name === node;
  }
  return false;
};

/**
 * Returns the functions that share more than 4 of their own `let`s with functions inside them.
 *
 * @param {SourceFile} source
 * @returns {Closure[]}
 */
export const closuresOf = (source) => {
  /** @type {Map<Node, Set<string>>} */
  const captured = new Map();
  /** @param {string} name @param {Scope} from */
  const refer = (name, from) => {
    /** @type {Scope | undefined} */
    let scope = from;
    while (scope !== undefined && !scope.names.has(name)) scope = scope.outer;
    if (scope?.owner === undefined || scope.owner === from.owner || scope.names.get(name) !== true) return;
    const names = captured.get(scope.owner) ?? new Set();
    captured.set(scope.owner, names.add(name));
  };
  /** @param {Node} node @param {Scope | undefined} outer */
  const visit = (node, outer) => {
    let scope = outer;
    if (opensScope(node)) {
      const owner = ast.isFunctionLikeDeclaration(node) ? node : outer?.owner;
      scope = { outer, owner, names: new Map() };
      collectNames(node, scope.names);
    }
    if (scope !== undefined && ast.isIdentifier(node) && !isMemberName(node)) refer(node.text, scope);
    for (const child of childrenOf(node)) visit(child, scope);
  };
  visit(source, undefined);
  return [...captured]
    .filter(([, names]) => names.size > MAX_CAPTURED)
    .map(([node, names]) => ({
      name: nameOf(source, node),
      line: lineOf(source, node.getStart(source)),
      captured: [...names].toSorted(),
    }));
};

/**
 * Returns the relative module names that a file imports or exports from, for types and at run time.
 *
 * @param {SourceFile} source
 * @returns {string[]}
 */
export const relativeImports = (source) => {
  /** @type {string[]} */
  const found = [];
  /** @param {Node} node */
  const visit = (node) => {
    const isDeclaration =
      node.kind === ast.SyntaxKind.ImportDeclaration || node.kind === ast.SyntaxKind.ExportDeclaration;
    const isImportCall = ast.isCallExpression(node) && node.expression.kind === ast.SyntaxKind.ImportKeyword;
    const module = isDeclaration
      ? /** @type {{ moduleSpecifier?: Node }} */ (/** @type {unknown} */ (node)).moduleSpecifier
      : isImportCall
        ? node.arguments[0]
        : undefined;
    if (module !== undefined && ast.isStringLiteral(module) && module.text.startsWith('.')) found.push(module.text);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(source);
  return found;
};

/**
 * Returns the groups of files that import each other, directly or through other files of the group.
 *
 * @param {ReadonlyMap<string, readonly string[]>} imports the files that each file imports
 * @returns {string[][]}
 */
export const circlesOf = (imports) => {
  /** @type {Map<string, number>} */
  const order = new Map();
  /** @type {Map<string, number>} */
  const lowest = new Map();
  /** @type {string[]} */
  const path = [];
  /** @type {string[][]} */
  const circles = [];
  /** Tarjan's algorithm. @param {string} file @returns {number} */
  const visit = (file) => {
    const place = order.size;
    order.set(file, place);
    path.push(file);
    let low = place;
    for (const target of imports.get(file) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (path.includes(target)) low = Math.min(low, lowest.get(target) ?? order.get(target) ?? low);
    }
    lowest.set(file, low);
    if (low === place) {
      const group = path.splice(path.indexOf(file)).toSorted();
      if (group.length > 1 || imports.get(file)?.includes(file)) circles.push(group);
    }
    return low;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return circles;
};
