// The WebAssembly programs under node, with the files of this machine below the present folder.
import {createRequire} from "node:module";
import {readFileSync} from "node:fs";
import {resolve} from "node:path";
import {execute} from "../src/program.js";

const require = createRequire(import.meta.url);

export function load(name) {
	const factory = require(resolve(name + ".js"));
	const module = new WebAssembly.Module(readFileSync(name + ".wasm"));
	return (args, input = "") => execute({
		factory, module, args, input,
		prepare(FS, NODEFS) {
			FS.mkdir("/host");
			FS.mount(NODEFS, {root: process.cwd()}, "/host");
			FS.chdir("/host");
		},
	});
}
