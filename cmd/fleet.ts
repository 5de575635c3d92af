import { runStack } from "../src/laptop/stack";
import { runProcess } from "../src/platform/lifecycle";

runProcess(() => runStack(process.argv.slice(2), process.env));
