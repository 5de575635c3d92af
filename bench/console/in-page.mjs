// Put into each page before its own script: counts its frames, and looks at each what is new in it.
globalThis.watchFrames = (selectors, mode) => {
  // The console goes on with this session.
  sessionStorage.setItem("refresh_token", "bench");
  const seen = { usableMs: 0, frames: 0, ages: [] };
  globalThis.benchSeen = seen;
  let shown = "";
  const look = () => {
    requestAnimationFrame(look);
    seen.frames += 1;
    if (!seen.usableMs && selectors.every((selector) => document.querySelector(selector)))
      seen.usableMs = performance.now();
    const said = /T(\d+)/.exec(document.querySelector(mode)?.textContent ?? "")?.[1] ?? "";
    if (said === shown) return;
    shown = said;
    seen.ages.push((Date.now() % 86_400_000) - Number(said));
  };
  requestAnimationFrame(look);
};
