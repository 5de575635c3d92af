/** What needs an image or a cluster: beside the project's own tests, with the same compiler and servers. */
const { jest } = require("../package.json");

module.exports = {
  ...jest,
  rootDir: "..",
  roots: ["<rootDir>/k8s-tests"],
  // One after the other: they share one machine, or one cluster.
  maxWorkers: 1,
  testTimeout: 180_000,
};
