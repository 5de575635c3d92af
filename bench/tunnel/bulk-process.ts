import { connect, createServer } from "node:net";

/** `sink PORT` takes whatever comes; `source HOST PORT SECONDS` sends all it can and prints bytes a second. */
const [role, ...words] = process.argv.slice(2);

if (role === "sink") {
  createServer((socket) => socket.on("error", () => socket.destroy()).resume()).listen(Number(words[0]), () =>
    process.stdout.write("listening\n"),
  );
} else {
  const [host = "", port, seconds] = words;
  const socket = connect({ host, port: Number(port) });
  const chunk = Buffer.alloc(64 * 1024);
  socket.on("error", (error) => {
    process.stderr.write(`${error}\n`);
    process.exit(1);
  });
  socket.on("connect", () => {
    const fill = () => {
      while (socket.write(chunk));
    };
    socket.on("drain", fill);
    fill();
    const [from, since] = [socket.bytesWritten - socket.writableLength, performance.now()];
    setTimeout(() => {
      const sent = socket.bytesWritten - socket.writableLength - from;
      process.stdout.write(`${Math.round(sent / ((performance.now() - since) / 1_000))}\n`);
      process.exit(0);
    }, Number(seconds) * 1_000);
  });
}
