import { Places } from "./places";

test("a place is given back to whom it was taken from, though the token has expired since", () => {
  let valid = true;
  const places = new Places({ maxSockets: 10, maxSocketsPerUser: 1 }, () => (valid ? { id: 7 } : undefined));
  const url = "/socket.io/?token=some";
  const giveBack = places.take(url);
  expect(places.refusal(url)).toContain("Too many sockets of yours");
  valid = false;
  giveBack();
  valid = true;
  expect(places.refusal(url)).toBeUndefined();
});
