import { runAdmin } from "../src/admin";
import { runProcess } from "../src/platform/lifecycle";

runProcess(() => runAdmin(process.argv.slice(2)));
