const Sequencer = require("@jest/test-sequencer").default;

/** Those that take a minute or more, the longest first: one that begins near the end is left running alone. */
const LONG = [
  "tunnel/packets-takeover",
  "testing/faults/faults",
  "gateway/contract",
  "gateway/abuse/slow-and-idle",
  "gateway/tasks",
  "gateway/watchers-return",
  "features/provisioning/activation",
  "laptop/stack",
  "relay/abuse",
  "tunnel/packets-second-hub",
  "tunnel/packets-changes",
  "tunnel/packets-faults",
  "vehicle/held-orders",
].map((name) => `/src/${name}.test.ts`);

/** Jest itself knows of a first run the files' sizes only. */
module.exports = class LongFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => LONG.findIndex((name) => path.endsWith(name));
    const sorted = [...super.sort(tests)];
    const isLong = (test) => rank(test) >= 0;
    return [
      ...sorted.filter(isLong).sort((a, b) => rank(a) - rank(b)),
      ...sorted.filter((test) => !isLong(test)),
    ];
  }
};
