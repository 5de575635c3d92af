import { distance, insidePolygon, offsetBetween, offsetBy } from "./geo";

test("an offset and its inverse cancel out", () => {
  const home = { lat: 47.4, lng: 8.5 };
  const { north, east } = offsetBetween(home, offsetBy(home, 300, -700));
  expect(north).toBeCloseTo(300, 6);
  expect(east).toBeCloseTo(-700, 6);
});

test("a degree of latitude is 111.3 km, one of longitude at 60 degrees half of it", () => {
  expect(distance({ lat: 0, lng: 8 }, { lat: 1, lng: 8 })).toBeCloseTo(111_318.845, 3);
  expect(distance({ lat: 60, lng: 8 }, { lat: 60, lng: 9 })).toBeCloseTo(111_318.845 / 2, 3);
});

test("insidePolygon() is right for a concave polygon", () => {
  const u = [
    [0, 0],
    [0, 3],
    [3, 3],
    [3, 2],
    [1, 2],
    [1, 1],
    [3, 1],
    [3, 0],
  ].map(([lat, lng]) => ({ lat: lat!, lng: lng! }));
  expect(insidePolygon({ lat: 0.5, lng: 1.5 }, u)).toBe(true);
  expect(insidePolygon({ lat: 2, lng: 1.5 }, u)).toBe(false);
});
