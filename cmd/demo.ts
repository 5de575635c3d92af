import { runDemo } from "../src/laptop/demo";
import { runProcess } from "../src/platform/process/lifecycle";

runProcess(() => runDemo(process.argv.slice(2)));
