import { buffer } from "node:stream/consumers";
import { deflateRawSync } from "node:zlib";
import { ZipFile } from "yazl";
import { LeftOutList, readGeofences, readMission } from ".";

const kml = (placemarks: string, name = "Alp &amp; lake") =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
<Document>
  <name>${name}</name>
  <Style id="line"><LineStyle><color>ff0000ff</color></LineStyle></Style>
  ${placemarks}
</Document>
</kml>`);

const point = (coordinates: string, mode?: string, name = "A") =>
  `<Placemark><name>${name}</name><Point>${mode ? `<altitudeMode>${mode}</altitudeMode>` : ""}<coordinates>${coordinates}</coordinates></Point></Placemark>`;

async function read(file: Buffer, altitude?: number) {
  const leftOut = new LeftOutList();
  const { name, points } = await readMission(file, undefined, altitude, leftOut);
  return {
    name,
    points: points.map(({ point }) => point),
    ats: points.map(({ at }) => at),
    leftOut: leftOut.list,
  };
}
const refusal = (file: Buffer, altitude?: number) =>
  read(file, altitude).then(
    () => "taken",
    ({ code, message }) => `${code} ${message}`,
  );

async function kmz(entries: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(content, name);
  zip.end();
  return buffer(zip.outputStream);
}

test("points and lines are waypoints in the order of the document, folders included", async () => {
  const line = `<Placemark><LineString><altitudeMode>absolute</altitudeMode><coordinates>
      8.5,47.3,500
      8.6,47.4,510.5
    </coordinates></LineString></Placemark>`;
  const file = kml(
    `${point("8.1,47.1,30", "relativeToGround")}<Folder><name>f</name>${line}</Folder>${point("8.2,47.2,31", "relativeToGround", "B &lt;1&gt; &#252;")}`,
  );
  const { name, points, ats } = await read(file);
  expect(name).toBe("Alp & lake");
  expect(points.map(({ lat, lng, altitude, frame, label }) => [lat, lng, altitude, frame, label])).toEqual([
    [47.1, 8.1, 30, 3, "A"],
    [47.3, 8.5, 500, 0, null],
    [47.4, 8.6, 510.5, 0, null],
    [47.2, 8.2, 31, 3, "B <1> ü"],
  ]);
  expect(points[0]).toMatchObject({ command: 16, param1: 0, param4: 0, autocontinue: true, type: "fly" });
  expect(ats).toEqual([
    'Placemark "A"',
    "Placemark 2, point 1",
    "Placemark 2, point 2",
    'Placemark "B <1> ü"',
  ]);
});

test("what lies on the ground gets the height that is given, and is listed; without one it is refused", async () => {
  const file = kml(point("8.1,47.1,600") + point("8.2,47.2", "clampToGround", "B"));
  const { points, leftOut } = await read(file, 25);
  expect(points.map(({ altitude, frame }) => [altitude, frame])).toEqual([
    [25, 3],
    [25, 3],
  ]);
  expect(leftOut.map(({ at, what }) => `${at} ${what}`)).toEqual([
    'Placemark "A" height',
    'Placemark "B" height',
  ]);
  expect(await refusal(file)).toMatch(/^invalid_input Placemark "A": has no height; give one .*altitude/);
});

test("what is not stored is listed", async () => {
  const polygon =
    "<Placemark><name>P</name><Polygon><outerBoundaryIs><LinearRing><coordinates>1,1 2,1 2,2 1,1</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>";
  const others =
    "<NetworkLink><Link><href>http://127.0.0.1/x.kml</href></Link></NetworkLink><Placemark><name>T</name><gx:Track/></Placemark>";
  const { points, leftOut } = await read(kml(point("8,47,30", "absolute") + polygon + others));
  expect(points).toHaveLength(1);
  expect(leftOut.map(({ at, what }) => `${at} ${what}`)).toEqual([
    ...["NetworkLink element", 'Placemark "T" Track', 'Placemark "T" placemark'],
    'Placemark "P" polygon',
  ]);
});

test("a polygon is a geofence without its holes, and a point with a radius a circle", async () => {
  const ring = (coordinates: string) => `<LinearRing><coordinates>${coordinates}</coordinates></LinearRing>`;
  const polygon = `<Placemark><name>P</name><Polygon><outerBoundaryIs>${ring("8,47,0 8.1,47,0 8.1,47.1,0 8,47,0")}</outerBoundaryIs><innerBoundaryIs>${ring("8.01,47.01 8.02,47.01 8.02,47.02 8.01,47.01")}</innerBoundaryIs></Polygon></Placemark>`;
  const circle = `<Placemark><name>C</name><ExtendedData><Data name="radius"><value>50.5</value></Data><Data name="fence_type"><value>inclusion</value></Data><Data name="enabled"><value>false</value></Data></ExtendedData><Point><coordinates>8,47</coordinates></Point></Placemark>`;
  const leftOut = new LeftOutList();
  const { name, geofences } = await readGeofences(
    kml(polygon + circle + point("1,2", "", "X")),
    "kml",
    leftOut,
  );
  expect(name).toBe("Alp & lake");
  expect(geofences).toEqual([
    {
      ...{ at: 'Placemark "P"', type: "polygon" },
      points: [
        [47, 8],
        [47, 8.1],
        [47.1, 8.1],
      ].map(([lat, lng]) => ({ lat, lng, frame: 3 })),
    },
    {
      ...{ at: 'Placemark "C"', type: "circle", radius: 50.5, fence_type: "inclusion", enabled: false },
      points: [{ lat: 47, lng: 8, frame: 3 }],
    },
  ]);
  expect(leftOut.list.map(({ at, what }) => `${at} ${what}`)).toEqual([
    'Placemark "P" 1 inner rings',
    'Placemark "X" Point',
  ]);
});

test("a text in CDATA is taken as it stands", async () => {
  const { points } = await read(kml(point("8,47,30", "absolute", "<![CDATA[<b>&amp;</b>]]>")));
  expect(points[0]?.label).toBe("<b>&amp;</b>");
});

test.each([
  [
    "a document type",
    '<!DOCTYPE kml [<!ENTITY a "aaaa">]><kml>&a;</kml>',
    "line 1: a document type is not allowed",
  ],
  [
    "an external entity",
    '<?xml version="1.0"?>\n<!DOCTYPE kml SYSTEM "file:///etc/passwd"><kml/>',
    "line 2: a document type",
  ],
  [
    "an entity that is not XML's",
    kml(point("8,47,1", "absolute", "&nbsp;")),
    "the entity &nbsp; is not known",
  ],
  [
    "a character that is none",
    kml(point("8,47,1", "absolute", "&#xd800;")),
    "the entity &#xd800; is not a character",
  ],
  [
    "another encoding",
    '<?xml version="1.0" encoding="ISO-8859-1"?><kml/>',
    "line 1: the encoding must be UTF-8",
  ],
  ["an element that is not closed", "<kml>\n<Document>\n</kml>", "is not well-formed XML"],
  [
    "deep nesting",
    `<kml>${"<Folder>".repeat(40)}${"</Folder>".repeat(40)}</kml>`,
    "file: is nested too deeply",
  ],
  ["another root", "<gpx/>", "file: its root element must be kml"],
  ["no placemark", "<kml/>", "file: has no waypoint"],
  [
    "a coordinate that is not a number",
    kml(point("8,NaN,3", "absolute")),
    'Placemark "A", point 1: must be longitude',
  ],
  ["an infinite height", kml(point("8,47,1e999", "absolute")), 'Placemark "A", point 1: must be longitude'],
  [
    "spaces after the commas",
    kml(point("8, 47, 3", "absolute")),
    'Placemark "A", point 1: must be longitude',
  ],
  ["an empty coordinate", kml(point(" ", "absolute")), 'Placemark "A": has no coordinates'],
  ["an unknown altitude mode", kml(point("8,47,3", "high")), 'Placemark "A": altitudeMode must be'],
])("KML with %s is refused", async (_what, text, words) => {
  const said = await refusal(Buffer.from(text));
  expect(said).toContain("invalid_input ");
  expect(said).toContain(words);
});

test("a KMZ is read by its doc.kml", async () => {
  const file = await kmz({
    "files/icon.png": Buffer.from("png"),
    "a.kml": kml(point("1,1,1", "absolute", "other")),
    "doc.kml": kml(point("8,47,30", "absolute", "right")),
  });
  expect((await read(file)).points.map(({ label }) => label)).toEqual(["right"]);
  const only = await kmz({ "route.kml": kml(point("8,47,30", "absolute", "only")) });
  expect((await read(only)).points.map(({ label }) => label)).toEqual(["only"]);
});

/** A zip of one entry with these bytes, and the size that it claims to unpack to. */
function forgedZip(name: string, content: Buffer, claimed: number): Buffer {
  const data = deflateRawSync(content);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(claimed, 18);
  common.writeUInt16LE(Buffer.byteLength(name), 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, Buffer.from(name), data]);
  const central = Buffer.concat([
    ...[Buffer.from("PK\x01\x02\x14\x00", "latin1"), common.subarray(0, 24)],
    ...[Buffer.alloc(16), Buffer.from(name)],
  ]);
  central.writeUInt16LE(Buffer.byteLength(name), 28);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

test("hostile archives are refused", async () => {
  const good = kml(point("8,47,30", "absolute"));
  expect(await refusal(forgedZip("doc.kml", good, good.length))).toBe("taken");
  const bomb = Buffer.alloc(64 * 2 ** 20, " ");
  expect(await refusal(forgedZip("doc.kml", bomb, bomb.length))).toBe(
    "invalid_input doc.kml: is larger than 1048576 bytes unpacked",
  );
  expect(await refusal(forgedZip("doc.kml", bomb, 1_000))).toContain(
    "invalid_input doc.kml: cannot be unpacked",
  );
  expect(await refusal(forgedZip("../doc.kml", good, good.length))).toContain(
    "invalid relative path: ../doc.kml",
  );
  expect(await refusal(forgedZip("/etc/doc.kml", good, good.length))).toContain("absolute path");
  expect(await refusal(await kmz({ "readme.txt": good }))).toBe("invalid_input file: has no .kml file in it");
  const many = Object.fromEntries(
    Array.from({ length: 1_001 }, (_, index) => [`${index}.txt`, Buffer.alloc(0)]),
  );
  expect(await refusal(await kmz(many))).toBe("invalid_input file: has more than 1000 entries");
  expect(await refusal(Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), Buffer.alloc(400, 7)]))).toBe(
    "invalid_input file: is not a zip archive",
  );
  expect(await refusal(await kmz({ "doc.kml": await kmz({ "doc.kml": good }) }))).toContain("file: ");
});
