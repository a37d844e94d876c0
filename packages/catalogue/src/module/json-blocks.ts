/** Blocks of a `.tf.json` file: the JSON syntax of the same language, in which labels are nested objects. */
import { entryRefusal } from '../archive/refuse.js';
import { type ConfigBlock, type ConfigValue, READ_BLOCKS } from './config-block.js';

/**
 * Reads a file's blocks.
 *
 * @throws ModuleArchiveError `module_invalid` for text that is not JSON, or not an object.
 */
export function readJson(file: string, text: string): readonly ConfigBlock[] {
  const refuse = (message: string) => entryRefusal('module_invalid', file, message);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw refuse('the file is not JSON: check it with "terraform validate"');
  }
  // At its top, too, a list of objects stands for all of them.
  const bodies = objectsIn(document);
  if (bodies === undefined) throw refuse('the file is not a JSON object');
  return bodies.flatMap((body) =>
    Object.entries(body).flatMap(([type, content]) =>
      READ_BLOCKS.has(type) ? blocksOf(file, type, labelCount(type), [], content, refuse) : [],
    ),
  );
}

const labelCount = (type: string): number =>
  type === 'terraform' ? 0 : type === 'resource' || type === 'data' ? 2 : 1;

function blocksOf(
  file: string,
  type: string,
  labelsLeft: number,
  labels: readonly string[],
  content: unknown,
  refuse: (message: string) => Error,
): readonly ConfigBlock[] {
  const bodies = objectsIn(content);
  if (bodies === undefined) throw refuse(`"${type}" is not an object`);
  return bodies.flatMap((body) => {
    // The syntax's way to write a comment.
    const members = Object.entries(body).filter(([name]) => name !== '//');
    if (labelsLeft > 0) {
      return members.flatMap(([label, inner]) =>
        blocksOf(file, type, labelsLeft - 1, [...labels, label], inner, refuse),
      );
    }
    const providers = type === 'terraform' ? members.filter(([name]) => name === 'required_providers') : [];
    return [
      {
        type,
        labels,
        attributes: new Map(members.map(([name, value]) => [name, toValue(value, 1, refuse)])),
        blocks: providers.flatMap(([name, inner]) => blocksOf(file, name, 0, [], inner, refuse)),
        file,
        line: undefined,
      },
    ];
  });
}

/** An object, or the objects of a list; undefined for anything else. `null` stands for nothing. */
function objectsIn(content: unknown): readonly object[] | undefined {
  if (content === null) return [];
  const items = Array.isArray(content) ? content : [content];
  return items.every(isObject) ? items : undefined;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `fields` are read one level deep: deeper members are not used. */
function toValue(value: unknown, depth: number, refuse: (message: string) => Error): ConfigValue {
  const text = typeof value === 'string' ? value : undefined;
  const json = jsonOf(value, refuse);
  const fields = depth > 0 && isObject(value) ? Object.entries(value) : undefined;
  return {
    written: text ?? json,
    text,
    json,
    fields: fields && new Map(fields.map(([name, inner]) => [name, toValue(inner, depth - 1, refuse)])),
    reference: text?.split('.')[0],
  };
}

/** Nesting that the parser takes may be too deep for the writer, which recurses. */
function jsonOf(value: unknown, refuse: (message: string) => Error): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw refuse('a value is nested too deeply');
  }
}
