import { parseExtraAllow } from "./extra-allow";

test.each([
  ["172.31.5.5", 2, "172.31.5.5"],
  ["172.31.0.0/16:tcp/443", 2, "172.31.0.0/16"],
  ["users>172.31.5.5/32:udp/123", 1, "172.31.5.5/32"],
  ["10.69.0.0/16>10.71.0.0/16:tcp/22", 1, "10.71.0.0/16"],
])("%s opens that from %i side(s)", (text, sides, destination) => {
  const parsed = parseExtraAllow(text);
  expect(parsed).toHaveLength(sides);
  expect(parsed.every((extra) => extra.destination === destination)).toBe(true);
});

test.each([
  ["somewhere", "is not"],
  ["172.31.5.5/33", "is not"],
  ["172.31.5.5:tcp/0", "port"],
  ["172.31.5.5:tcp/70000", "port"],
  ["pilots>172.31.5.5", "neither"],
  ["users>10.71.0.0/16", "plane to a plane"],
  ["10.0.0.0/8", "plane to a plane"],
  ["10.70.0.2/32>172.31.5.5", "name the plane"],
])("%s is refused and named", (text, why) => {
  expect(() => parseExtraAllow(text)).toThrow(why);
  expect(() => parseExtraAllow(text)).toThrow("FIREWALL_EXTRA_ALLOW");
});
