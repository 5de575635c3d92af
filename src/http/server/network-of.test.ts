import { networkOf, siteOf } from "./network-of";

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:0:1:ffff::9", "2001:db8:0:1::/64"],
  ["2001:DB8:0:1::", "2001:db8:0:1::/64"],
  ["2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:0db8:0000::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["1:2:3:4:5:6:192.0.2.7", "1:2:3:4::/64"],
  ["1:2:3:4::6:192.0.2.7", "1:2:3:4::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
])("%s is counted as %s", (address, network) => expect(networkOf(address)).toBe(network));

test("two addresses of one /64 are one network, and the next /64 is another", () => {
  expect(networkOf("2001:db8::1")).toBe(networkOf("2001:db8:0:0:9:9:9:9"));
  expect(networkOf("2001:db8:0:1::1")).not.toBe(networkOf("2001:db8:0:2::1"));
});

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["2001:db8:0:1:ffff::9", "2001:db8:0::/48"],
  ["2001:db8:0:ffff::", "2001:db8:0::/48"],
  ["2001:db8:1::", "2001:db8:1::/48"],
])("%s is of the site %s", (address, site) => expect(siteOf(networkOf(address))).toBe(site));
