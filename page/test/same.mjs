// The WebAssembly program says what the native one says, byte for byte: every file of tests/ptx under run and check (which explores), the debugger's sessions, and the lessons with their exercises.
//   node page/test/same.mjs NATIVE WASM [PART OF_PARTS]
import {spawnSync} from "node:child_process";
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {load} from "./host.mjs";

const [native, wasm, part = "0", parts = "1", only = ""] = process.argv.slice(2);
const run = load(wasm);

function filesBelow(folder) {
	return readdirSync(folder, {withFileTypes: true}).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((at) =>
		at.isDirectory() ? filesBelow(join(folder, at.name)) : [join(folder, at.name)]);
}

const jobs = [];
for (const file of filesBelow("tests/ptx").filter((name) => /\.(ptx|litmus)$/.test(name))) {
	jobs.push({args: ["run", file]}, {args: ["check", "-v", "--timeout=600", file]});
}
for (const file of filesBelow("tests/debug").filter((name) => name.endsWith(".txt"))) {
	const lines = readFileSync(file, "utf8").split("\n");
	jobs.push({
		args: ["debug", "-v", ...lines[0].replace("$ ptxi debug ", "").split(" ")],
		input: lines.filter((line) => line.startsWith("(ptxi) ")).map((line) => line.slice(7) + "\n").join(""),
	});
}
// The lessons: what each says, each of its programs, and the exercise before and after it is solved.
process.env.XDG_STATE_HOME = mkdtempSync(join(tmpdir(), "ptxi-"));
rmSync("build/page/lessons", {recursive: true, force: true});
mkdirSync("build/page/lessons", {recursive: true});
const lessons = readdirSync("lessons").filter((name) => name.endsWith(".md")).length;
for (let k = 1; k <= lessons; k++) {
	const folder = `build/page/lessons/${k}`, solved = `${folder}/solved.ptx`;
	spawnSync(native, ["learn", String(k), "start", folder]);
	writeFileSync(solved, spawnSync(native, ["learn", String(k), "solution"]).stdout);
	jobs.push({args: ["learn", String(k)]}, {args: ["learn", String(k), "check", `${folder}/exercise.ptx`]}, {args: ["learn", String(k), "check", solved]});
	for (const file of filesBelow(folder)) jobs.push({args: ["check", "--timeout=600", file]}, {args: ["run", "--timeout=600", file]});
}

let done = 0, bad = 0;
for (const [k, job] of jobs.entries()) {
	if (k % Number(parts) !== Number(part) || !job.args.join(" ").includes(only)) continue;
	// natively with one thread: which of several livelocked warps is named first may depend on their number
	const args = job.args[0] === "run" ? ["run", "-j1", ...job.args.slice(1)] : job.args;
	const there = spawnSync(native, args, {input: job.input || "", maxBuffer: 1 << 28});
	const here = await run(job.args, job.input);
	const text = (error) => here.pieces.filter((piece) => piece.error === error).map((piece) => piece.text).join("");
	done++;
	if (there.status === here.status && there.stdout.toString() === text(false) && there.stderr.toString() === text(true)) continue;
	bad++;
	console.log(`differs: ptxi ${job.args.join(" ")}: status ${there.status} natively, ${here.status} here`);
	for (const [a, b] of [[there.stdout.toString(), text(false)], [there.stderr.toString(), text(true)]]) {
		const left = a.split("\n"), right = b.split("\n");
		const at = left.findIndex((line, n) => line !== right[n]);
		if (at >= 0 || left.length !== right.length) console.log(`  line ${at + 1}\n    natively: ${left[at]}\n    here:     ${right[at]}`);
	}
}
console.log(`same: ${done - bad} of ${done} commands`);
rmSync(process.env.XDG_STATE_HOME, {recursive: true});
process.exit(bad || !done ? 1 : 0);
