import { XMLParser, XMLValidator } from "fast-xml-parser";
import { refuseFile } from "./plan-file";

/** An element with its children in document order. */
export interface XmlElement {
  /** Without the namespace's prefix. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children. */
  readonly text: string;
}

/** Deeper than folders are nested. */
const MAX_DEPTH = 32;
/** 2,000 points with all their data have 96,000. */
const MAX_TAGS = 100_000;
const [TEXT, CDATA, ATTRIBUTES] = ["#text", "#cdata", ":@"];

/** A document with its root element. Throws `invalid_input` with the line. */
export function parseXml(text: string): XmlElement {
  checkXml(text);
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: "",
    removeNSPrefix: true,
    cdataPropName: CDATA,
    ...{ parseTagValue: false, parseAttributeValue: false, trimValues: false },
    ...{ processEntities: false, ignoreDeclaration: true, ignorePiTags: true },
    maxNestedTags: MAX_DEPTH,
  });
  let nodes: unknown;
  try {
    nodes = parser.parse(text);
  } catch (cause) {
    const { message } = cause as Error;
    refuseFile("file", /nested/i.test(message) ? "is nested too deeply" : "is not well-formed XML", cause);
  }
  const [root] = (nodes as Node[]).flatMap(elementsOf);
  return root ?? refuseFile("file", "has no element");
}

/** Entities are the way to make a small file a large one: a document type is refused before anything is parsed. */
function checkXml(text: string): void {
  const declared = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']{0,40})/.exec(text)?.[1];
  if (declared !== undefined && !/^(utf-8|us-ascii)$/i.test(declared))
    refuseFile("line 1", "the encoding must be UTF-8");
  const doctype = /<!(DOCTYPE|ENTITY)/i.exec(text);
  if (doctype) refuseFile(`line ${lineOf(text, doctype.index)}`, "a document type is not allowed");
  let tags = 0;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
    tags += 1;
    if (tags > MAX_TAGS) refuseFile(`line ${lineOf(text, at)}`, "the file has too many elements");
  }
  const valid = XMLValidator.validate(text);
  if (valid !== true)
    refuseFile(`line ${valid.err.line}`, "is not well-formed XML", new Error(valid.err.code));
}

const lineOf = (text: string, end: number): number => text.slice(0, end).split("\n").length;

/** As the parser returns it: the element's name or a kind of text, and the children; attributes under `:@`. */
type Node = Readonly<Record<string, unknown>>;

function elementsOf(node: Node): XmlElement[] {
  const name = Object.keys(node).find((key) => key !== ATTRIBUTES);
  if (name === undefined || name === TEXT || name === CDATA) return [];
  const children = node[name] as readonly Node[];
  const attributes = Object.entries((node[ATTRIBUTES] ?? {}) as Record<string, string>);
  return [
    {
      name,
      attributes: Object.fromEntries(attributes.map(([key, value]) => [key, decoded(value)])),
      children: children.flatMap(elementsOf),
      text: children.map(textOf).join(""),
    },
  ];
}

function textOf(node: Node): string {
  if (node[TEXT] !== undefined) return decoded(String(node[TEXT]));
  const cdata = node[CDATA] as readonly Node[] | undefined;
  return cdata ? cdata.map((part) => String(part[TEXT])).join("") : "";
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** XML's own five entities, and characters by number. Throws `invalid_input` for another one. */
function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{1,8}));/gi,
    (entity, hex, decimal, name) => {
      if (name) return ENTITIES[name] ?? refuseFile("file", `the entity ${entity} is not known`);
      const code = Number.parseInt(hex ?? decimal, hex ? 16 : 10);
      const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
      return isCharacter
        ? String.fromCodePoint(code)
        : refuseFile("file", `the entity ${entity} is not a character`);
    },
  );
}
