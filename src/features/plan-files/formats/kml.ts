import { XMLBuilder } from "fast-xml-parser";
import { PLAN_LIMITS } from "../../plans";
import type { GeoFeature, GeoFile, Position } from "./geo-features";
import { type LeftOutList, parseNumber, refuseFile, type WrittenFile } from "./plan-file";
import { parseXml, type XmlElement } from "./xml";

/** KML 2.2 (OGC 07-147r2). What a placemark cannot say stands in its ExtendedData. */

const GEOMETRIES: Readonly<Record<string, GeoFeature["geometry"]>> = {
  Point: "Point",
  LineString: "LineString",
  LinearRing: "Polygon",
  Polygon: "Polygon",
};
/** Elements that show something that is not stored. */
const NOT_STORED: ReadonlySet<string> = new Set([
  ...["NetworkLink", "GroundOverlay", "ScreenOverlay", "PhotoOverlay", "Tour"],
  ...["Track", "MultiTrack", "Model"],
]);
const HEIGHTS: Readonly<Record<string, GeoFeature["heights"]>> = {
  relativeToGround: "home",
  absolute: "sea",
  clampToGround: "ground",
  clampToSeaFloor: "ground",
};

/** Throws `invalid_input` with the line or the placemark. */
export function readKml(text: string, leftOut: LeftOutList): GeoFile {
  const root = parseXml(text);
  if (root.name !== "kml") refuseFile("file", "its root element must be kml");
  const reading: Reading = { features: [], placemarks: 0, leftOut };
  walk(root, reading);
  const document = root.children.find(({ name }) => name === "Document" || name === "Folder");
  return { name: document && childText(document, "name")?.trim(), features: reading.features };
}

interface Reading {
  readonly features: GeoFeature[];
  placemarks: number;
  readonly leftOut: LeftOutList;
}

function walk(parent: XmlElement, reading: Reading): void {
  for (const child of parent.children) {
    if (child.name === "Document" || child.name === "Folder") walk(child, reading);
    else if (child.name === "Placemark") placemark(child, reading);
    else if (NOT_STORED.has(child.name))
      reading.leftOut.add(child.name, "element", "It is not read; links are not followed.");
  }
}

function placemark(element: XmlElement, reading: Reading): void {
  reading.placemarks += 1;
  const name = childText(element, "name");
  const shown = name?.trim().slice(0, 100);
  const at = shown ? `Placemark "${shown}"` : `Placemark ${reading.placemarks}`;
  const properties = extendedData(element);
  const { length } = reading.features;
  for (const child of element.children) geometry(child, { at, name, properties }, reading);
  if (reading.features.length === length)
    reading.leftOut.add(at, "placemark", "It has no geometry that is read.");
}

type Common = Pick<GeoFeature, "at" | "name" | "properties">;

function geometry(element: XmlElement, common: Common, reading: Reading): void {
  const { at } = common;
  if (element.name === "MultiGeometry") {
    for (const child of element.children) geometry(child, common, reading);
    return;
  }
  if (NOT_STORED.has(element.name)) reading.leftOut.add(at, element.name, "It is not read.");
  const kind = GEOMETRIES[element.name];
  if (!kind) return;
  const mode = childText(element, "altitudeMode")?.trim() ?? "clampToGround";
  const heights = HEIGHTS[mode];
  if (!heights) refuseFile(at, "altitudeMode must be relativeToGround, absolute or clampToGround");
  const rings = element.name === "Polygon" ? ringsOf(element, at) : [element];
  const positions = positionsOf(childText(rings[0] as XmlElement, "coordinates") ?? "", at);
  if (kind === "Point" && positions.length !== 1) refuseFile(at, "a Point has one position");
  reading.features.push({ ...common, geometry: kind, positions, holes: rings.length - 1, heights });
}

/** The outer ring, then the inner ones. */
function ringsOf(polygon: XmlElement, at: string): XmlElement[] {
  const ringsIn = (name: string) =>
    polygon.children.filter((one) => one.name === name).flatMap(({ children }) => children);
  const outer = ringsIn("outerBoundaryIs").filter(({ name }) => name === "LinearRing");
  if (outer.length !== 1) refuseFile(at, "a Polygon has one outer ring");
  return [...outer, ...ringsIn("innerBoundaryIs").filter(({ name }) => name === "LinearRing")];
}

/** `longitude,latitude[,height]`, between spaces. */
function positionsOf(coordinates: string, at: string): Position[] {
  const trimmed = coordinates.trim();
  if (trimmed === "") refuseFile(at, "has no coordinates");
  // Before the text is split: it may hold as many as fit into a file.
  const tuples = /\s+/g;
  for (let count = 1; tuples.exec(trimmed); count++)
    if (count > PLAN_LIMITS.pointsOfPlan) refuseFile(at, `has more than ${PLAN_LIMITS.pointsOfPlan} points`);
  return trimmed.split(/\s+/).map((tuple, index) => {
    const numbers = tuple.split(",").map(parseNumber);
    const fits = numbers.length === 2 || numbers.length === 3;
    if (!fits || numbers.includes(undefined))
      refuseFile(`${at}, point ${index + 1}`, "must be longitude,latitude or longitude,latitude,height");
    return numbers as unknown as Position;
  });
}

/** Values of `Data` and `SimpleData`: numbers, booleans and null as such, other texts as texts. */
function extendedData(element: XmlElement): Record<string, unknown> {
  const data = element.children
    .filter(({ name }) => name === "ExtendedData")
    .flatMap(({ children }) => children);
  const simple = data.filter(({ name }) => name === "SchemaData").flatMap(({ children }) => children);
  const values = [
    ...data.filter(({ name }) => name === "Data").map((one) => [one, childText(one, "value")] as const),
    ...simple.filter(({ name }) => name === "SimpleData").map((one) => [one, one.text] as const),
  ];
  return Object.fromEntries(
    values.map(([{ attributes }, value]) => [attributes.name ?? "", typed((value ?? "").trim())]),
  );
}

const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

function typed(text: string): unknown {
  const word = WORDS[text];
  return word !== undefined ? word : (parseNumber(text) ?? text);
}

const childText = ({ children }: XmlElement, name: string): string | undefined =>
  children.find((child) => child.name === name)?.text;

const MODES = { home: "relativeToGround", sea: "absolute", ground: "clampToGround" } as const;

/** `leftOut` has `label` where a text has characters that XML cannot have. */
export function writeKml(name: string, features: readonly GeoFeature[]): WrittenFile {
  const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: "@", format: false });
  const text = builder.build({
    "?xml": { "@version": "1.0", "@encoding": "UTF-8" },
    kml: {
      "@xmlns": "http://www.opengis.net/kml/2.2",
      Document: { name: xmlText(name), Placemark: features.map(placemarkOf) },
    },
  });
  const hasOther = features.some(({ name: label = "" }) => xmlText(label) !== label);
  return { text, leftOut: [...(xmlText(name) === name ? [] : ["name"]), ...(hasOther ? ["label"] : [])] };
}

function placemarkOf({ name, geometry: kind, positions, heights, properties }: GeoFeature): object {
  const coordinates = positions.map((position) => position.join(",")).join(" ");
  const mode = { altitudeMode: MODES[heights] };
  const ring = { LinearRing: { coordinates } };
  return {
    ...(name === undefined ? {} : { name: xmlText(name) }),
    ExtendedData: {
      Data: Object.entries(properties).map(([key, value]) => ({ "@name": key, value: String(value) })),
    },
    [kind]: kind === "Polygon" ? { ...mode, outerBoundaryIs: ring } : { ...mode, coordinates },
  };
}

/** The text without characters that XML 1.0 cannot have, or that its readers change. */
const xmlText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced.
  text.replaceAll(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, "\ufffd");
