import { readFileSync } from "node:fs";
import { ask, probeOf } from "../src/platform/process/health-probe";
import { runProcess } from "../src/platform/process/lifecycle";

/** What a container runtime asks of the image: does the container's main process answer? */
runProcess(() => ask(probeOf(readFileSync("/proc/1/cmdline", "utf8").split("\0"), process.env)));
