// Put into each page before its own script: counts its frames, and looks at each what is new in it.
globalThis.watchFrames = (selectors, mode) => {
  // The console goes on with this session.
  sessionStorage.setItem("refresh_token", "bench");
  const seen = { usableMs: 0, frames: 0, ages: [] };
  globalThis.benchSeen = seen;
  // A canvas can be read until the frame is over, which is after every callback of the frame.
  const { requestAnimationFrame: request } = globalThis;
  globalThis.requestAnimationFrame = (callback) =>
    request((time) => {
      callback(time);
      look();
    });
  let shown = "";
  let lookedAt = 0;
  const look = () => {
    if (seen.usableMs || performance.now() - lookedAt < 50) return;
    if (!selectors.every((selector) => document.querySelector(selector))) return;
    lookedAt = performance.now();
    if (hasDrone()) seen.usableMs = performance.now();
  };
  const count = () => {
    request(count);
    seen.frames += 1;
    const said = /T(\d+)/.exec(document.querySelector(mode)?.textContent ?? "")?.[1] ?? "";
    if (said === shown) return;
    shown = said;
    seen.ages.push((Date.now() % 86_400_000) - Number(said));
  };
  request(count);
};

/** Whether the map shows something in the colour of an armed drone. */
function hasDrone() {
  const map = document.querySelector(".maplibregl-canvas");
  if (!map?.width) return false;
  const copy = new OffscreenCanvas(map.width, map.height).getContext("2d");
  copy.drawImage(map, 0, 0);
  const { data } = copy.getImageData(0, 0, map.width, map.height);
  for (let at = 0; at < data.length; at += 4)
    if (data[at] > 160 && data[at + 1] < 70 && data[at + 2] < 70) return true;
  return false;
}

/** Keeps when a key was pressed last. */
globalThis.watchKeys = () => {
  addEventListener(
    "keydown",
    ({ timeStamp }) => {
      globalThis.keyAt = performance.timeOrigin + timeStamp;
    },
    { capture: true },
  );
};

/** A stick by the key W, sent by a timer. */
globalThis.bareSticks = (address, everyMs) =>
  new Promise((resolve, reject) => {
    let throttle = 0;
    addEventListener("keydown", () => {
      throttle = 0.6;
    });
    addEventListener("keyup", () => {
      throttle = 0;
    });
    const session = "00000000-0000-4000-8000-000000000000";
    const socket = new WebSocket(address);
    socket.onerror = () => reject(new Error("The relay refused the socket."));
    socket.onopen = () => {
      setInterval(() => {
        const axes = { roll: 0, pitch: 0, throttle, yaw: 0 };
        socket.send(JSON.stringify({ t: performance.now(), session, axes, buttons: [] }));
      }, everyMs);
      resolve();
    };
  });
