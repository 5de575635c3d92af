import { runAdmin } from "../src/admin";
import { runProcess } from "../src/platform/process/lifecycle";

runProcess(() => runAdmin(process.argv.slice(2)));
