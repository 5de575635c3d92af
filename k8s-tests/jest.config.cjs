/** Tests that need an image or a cluster, with the compiler and servers of the project's other tests. */
const { jest } = require("../package.json");

module.exports = {
  ...jest,
  rootDir: "..",
  roots: ["<rootDir>/k8s-tests"],
  // One after the other: they share one machine, or one cluster.
  maxWorkers: 1,
  testTimeout: 180_000,
};
