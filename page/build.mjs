// Makes the page: node page/build.mjs WASM-PROGRAM OUTPUT. WASM-PROGRAM is build/wasm/ptxi, without its suffix.
//   One file: style, script, and a container (compressed, base64) of the WebAssembly module, the worker's script and the texts.
import {build} from "esbuild";
import {marked} from "marked";
import {createHash} from "node:crypto";
import {existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync} from "node:fs";
import {dirname, join, resolve} from "node:path";
import {fileURLToPath} from "node:url";
import {gzipSync} from "node:zlib";
import {load} from "./test/host.mjs";

const [wasm, output] = process.argv.slice(2), here = dirname(fileURLToPath(import.meta.url)), MOST_BYTES = 2 << 20;
const run = load(wasm);

async function says(...args) {
	const {status, pieces} = await run(args);
	if (status) throw new Error(`ptxi ${args.join(" ")} ends with status ${status}`);
	return pieces.map((piece) => piece.text).join("");
}

async function bundle(entry, more = {}) {
	const {outputFiles, metafile} = await build({entryPoints: [join(here, "src", entry)], bundle: true, minify: true, format: "iife", target: "es2022", write: false, metafile: true, legalComments: "none", ...more});
	return [outputFiles[0].text, metafile];
}

// --- lessons: Markdown to HTML, with a bar above each block that is a file ---

const escaped = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const HIDDEN = ["hint", "solution", "checks"];

function lesson(markdown) {
	const files = {};
	const renderer = new marked.Renderer();
	renderer.code = ({text, lang}) => {
		const [kind, file, code] = (lang || "").split(" ");
		if (HIDDEN.includes(kind)) return "";
		const lines = kind === "diff" ? text.split("\n").map((line) => {
			const mark = line.startsWith("+") ? "diff-add" : line.startsWith("-") ? "diff-cut" : "";
			return mark ? `<span class="${mark}">${escaped(line)}</span>` : escaped(line);
		}).join("\n") : escaped(text);
		if (!file) return `<pre tabindex="0">${lines}</pre>`;
		files[file] = code || "";
		return `<div class="block" data-file="${escaped(file)}" data-code="${escaped(code || "")}" data-kind="${file === "exercise.ptx" ? "exercise" : kind}">` +
			`<div class="bar"><code>${escaped(file)}</code>${kind === "diff" ? " the program above, changed" : ""}</div><pre tabindex="0">${lines}</pre></div>`;
	};
	renderer.html = ({text}) => escaped(text);
	renderer.image = ({href, text}) => `<img alt="${escaped(text)}" src="data:image/svg+xml;base64,${readFileSync(join("lessons", href)).toString("base64")}">`;
	renderer.link = ({text}) => `<em>${escaped(text)}</em>`;
	return {title: markdown.match(/^# (.*)/)[1], html: marked.parse(markdown, {renderer}), files};
}

const lessons = readdirSync("lessons").filter((name) => /^\d+.*\.md$/.test(name)).sort().map((name) => lesson(readFileSync(join("lessons", name), "utf8")));

// --- the scripts ---

const [worker] = await bundle("worker.js", {alias: {"ptxi-program": resolve(wasm + ".js")}, external: ["fs", "path", "crypto", "ws", "child_process"]});
const [script, metafile] = await bundle("main.js");

// The licences of what is bundled stay with it.
const packages = [...new Set(Object.keys(metafile.inputs).map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)).filter(Boolean).map((m) => m[1]))].sort();
const licences = [`ptxi\n\n${readFileSync("LICENSE", "utf8")}`].concat(packages.map((name) => {
	const folder = join(here, "node_modules", name), file = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((f) => join(folder, f)).find(existsSync);
	if (!file) throw new Error(`${name} has no licence file`);
	return `${name} ${JSON.parse(readFileSync(join(folder, "package.json"))).version}\n\n${readFileSync(file, "utf8")}`;
}), "The C library and the glue of the WebAssembly module are those of Emscripten (MIT and University of Illinois/NCSA licences, https://emscripten.org) with musl (MIT).").join("\n----\n\n");

const grammar = JSON.parse(await says("--generate", "vscode"));
const texts = JSON.stringify({lessons, grammar, licences, version: (await says("--version")).trim()});

// --- one file ---

const parts = [readFileSync(wasm + ".wasm"), Buffer.from(worker), Buffer.from(texts)];
const head = Buffer.alloc(12);
parts.forEach((part, k) => head.writeUInt32BE(part.length, 4 * k));
const data = gzipSync(Buffer.concat([head, ...parts]), {level: 9}).toString("base64");
const safe = script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const values = {
	"%HASH%": `'sha256-${createHash("sha256").update(safe).digest("base64")}'`,
	"%STYLE%": readFileSync(join(here, "src/style.css"), "utf8"),
	"%DATA%": data,
	"%SCRIPT%": safe,
};
const page = readFileSync(join(here, "src/index.html"), "utf8").replace(/%(HASH|STYLE|DATA|SCRIPT)%/g, (key) => values[key]);
mkdirSync(dirname(output), {recursive: true});
writeFileSync(output, page);
console.log(`${output}: ${Buffer.byteLength(page)} bytes (program ${parts[0].length}, its worker ${parts[1].length}, texts ${parts[2].length}; together ${data.length} in the file)`);
if (Buffer.byteLength(page) > MOST_BYTES) throw new Error("the page is larger than 2 MiB");
