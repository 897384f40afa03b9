import { parseSync } from 'oxc-parser';

export interface Pattern {
  line: number;
  source: string;
  flags: string;
}

export interface Patterns {
  found: Pattern[];
  /** Lines of patterns that are put together from parts that are not constants of the same file. */
  unreadable: number[];
}

/** A node of the syntax tree, as ESTree has it. */
type Node = { type: string; start: number } & Record<string, unknown>;

/** Every regular expression in a file: literals, `new RegExp(…)`, and the `pattern` of a JSON Schema. */
export function patternsIn(path: string, code: string): Patterns {
  const { program, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const nodes = [...nodesIn(program)];
  const constants = new Map(
    nodes.flatMap(({ type, id, init }) =>
      type === 'VariableDeclarator' && isNode(id) && isNode(init) ? [[String(id['name']), init]] : [],
    ),
  );
  const patterns: Patterns = { found: [], unreadable: [] };
  for (const node of nodes) {
    const parts = partsOf(node);
    if (!parts) continue;
    const line = code.slice(0, node.start).split('\n').length;
    const source = textOf(parts.source, constants);
    const flags = parts.flags ? textOf(parts.flags, constants) : '';
    if (source === undefined || flags === undefined) patterns.unreadable.push(line);
    else patterns.found.push({ line, source, flags });
  }
  return patterns;
}

/** The nodes that say what a regular expression is, where this node makes one. */
function partsOf(node: Node): { source: Node; flags?: Node | undefined } | undefined {
  const { type, regex, callee, key, value } = node;
  if (type === 'Literal' && typeof regex === 'object' && regex !== null) {
    const { pattern, flags } = regex as { pattern: string; flags: string };
    return { source: text(pattern), flags: text(flags) };
  }
  const isCall = type === 'NewExpression' || type === 'CallExpression';
  if (isCall && isNode(callee) && callee['name'] === 'RegExp') {
    const [source, flags] = node['arguments'] as Node[];
    return source && { source, flags };
  }
  const isPattern = type === 'Property' && isNode(key) && key['name'] === 'pattern';
  return isPattern && isNode(value) && value.type !== 'Identifier' ? { source: value } : undefined;
}

function textOf(node: Node, constants: Map<string, Node>): string | undefined {
  const { type, value, name } = node;
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type === 'Identifier') {
    const constant = constants.get(String(name));
    return constant && textOf(constant, constants);
  }
  const isRaw = type === 'TaggedTemplateExpression';
  const template = isRaw ? node['quasi'] : node;
  if (!isNode(template) || template.type !== 'TemplateLiteral') return undefined;
  const texts = (template['quasis'] as { value: { raw: string; cooked: string } }[]).map(
    ({ value: quasi }) => (isRaw ? quasi.raw : quasi.cooked),
  );
  const inserted = (template['expressions'] as Node[]).map((part) => textOf(part, constants));
  if (inserted.includes(undefined)) return undefined;
  return texts.map((part, index) => part + (inserted[index] ?? '')).join('');
}

function text(value: string): Node {
  return { type: 'Literal', start: 0, value };
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';
}

function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item);
  else if (isNode(value)) {
    yield value;
    for (const part of Object.values(value)) yield* nodesIn(part);
  }
}
