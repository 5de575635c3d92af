/** How Debian's Chromium is started without its own windows: Playwright's options. */
export const chromiumOptions = {
  executablePath: "/usr/bin/chromium-headless-shell",
  args: [
    // Root, as which the tests run, has no sandbox.
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    // WebGL without a graphics card.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    // A host that is this machine, and that browsers do not trust as they trust 127.0.0.1.
    "--host-resolver-rules=MAP fleet.test 127.0.0.1",
    // Pages are put together without WebGL: half the work.
    "--disable-gpu-compositing",
  ],
};
