// node page/test/ptxi.mjs PROGRAM ARGUMENTS: runs build/wasm/PROGRAM as the program itself would run.
import {load} from "./host.mjs";
import {readFileSync} from "node:fs";

const [name, ...args] = process.argv.slice(2);
const {status, pieces} = await load(name)(args, process.stdin.isTTY ? "" : readFileSync(0));
for (const {error, text} of pieces) (error ? process.stderr : process.stdout).write(text);
process.exitCode = status;
