import { runStack } from "../src/laptop/stack";
import { runProcess } from "../src/platform/process/lifecycle";

runProcess(() => runStack(process.argv.slice(2), process.env));
