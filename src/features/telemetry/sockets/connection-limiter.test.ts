import { ConnectionLimiter } from "./connection-limiter";

test("a connection is released for the user who opened it, though the token has expired since", () => {
  let valid = true;
  const limiter = new ConnectionLimiter({ maxSockets: 10, maxSocketsPerUser: 1 }, () =>
    valid ? { id: 7 } : undefined,
  );
  const url = "/socket.io/?token=some";
  const release = limiter.acquire(url);
  expect(limiter.refusal(url)).toContain("Too many sockets of yours");
  valid = false;
  release();
  valid = true;
  expect(limiter.refusal(url)).toBeUndefined();
});
