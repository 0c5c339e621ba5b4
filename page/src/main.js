// The page: the editor, the commands and the panels. It is a front end of the command line: every button is a command of ptxi.
import {Debugger} from "./debugger.js";
import {Editor} from "./editor.js";
import {element} from "./element.js";
import {Engine, textOf} from "./engine.js";
import {Lessons} from "./lessons.js";
import {pack, unpack} from "./share.js";

const MOST_SHOWN = 300000, LINT_AFTER = 500, PICTURE = "/picture.svg";
const $ = (id) => document.getElementById(id);

// What is kept between visits, where the browser allows it.
const store = {
	get(key) { try { return localStorage.getItem("ptxi." + key); } catch { return null; } },
	set(key, value) { try { localStorage.setItem("ptxi." + key, value); } catch { /* not kept */ } },
};

// --- light and dark ---

const dark = matchMedia("(prefers-color-scheme: dark)");
function applyTheme() {
	const theme = store.get("theme") || "auto";
	document.documentElement.dataset.theme = theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
	document.documentElement.style.colorScheme = document.documentElement.dataset.theme;
	$("theme").textContent = {auto: "Theme: auto", light: "Theme: light", dark: "Theme: dark"}[theme];
}
dark.onchange = applyTheme;
$("theme").onclick = () => {
	const order = ["auto", "light", "dark"], now = store.get("theme") || "auto";
	store.set("theme", order[(order.indexOf(now) + 1) % 3]);
	applyTheme();
};
applyTheme();

// --- tabs ---

const tabs = [...document.querySelectorAll("[role=tab]")];
function showTab(name, focus) {
	for (const tab of tabs) {
		const chosen = tab.id === "tab-" + name;
		tab.setAttribute("aria-selected", String(chosen));
		tab.tabIndex = chosen ? 0 : -1;
		$(tab.getAttribute("aria-controls")).hidden = !chosen;
		if (chosen && focus) tab.focus();
	}
}
for (const tab of tabs) {
	tab.onclick = () => showTab(tab.id.slice(4));
	tab.onkeydown = (e) => {
		const shown = tabs.filter((t) => !t.hidden), k = shown.indexOf(tab);
		const to = {ArrowRight: (k + 1) % shown.length, ArrowLeft: (k + shown.length - 1) % shown.length, Home: 0, End: shown.length - 1}[e.key];
		if (to === undefined) return;
		e.preventDefault();
		showTab(shown[to].id.slice(4), true);
	};
}
showTab("lesson");

// --- the program ---

function say(text, kind = "") {
	$("status").textContent = text;
	$("status").className = kind;
}

// A name that is only a name: no folder, nothing that a command could take for an option.
const fileName = () => ($("name").value.trim().replace(/[^A-Za-z0-9._-]/g, "_").replace(/^[-.]+/, "") || "program.ptx");
const optionList = () => ($("options").value.match(/"[^"]*"|'[^']*'|\S+/g) || []).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
const STATUS = {0: "no problems", 1: "an expectation failed", 2: "the command was not understood", 3: "the program is rejected", 4: "a fault", 5: "a race or an uninitialised read",
	6: "a deadlock", 7: "a limit was reached", 8: "this is not executed by ptxi", 70: "a bug in ptxi"};

let editor, engine, lessons, lintTimer = 0, checked = "", commandGoing = false;

function load(name, text) {
	$("name").value = name;
	editor.text = text;
	editor.findings([], explain);
	showFindings([]);
	say(`${name} is open`);
}

const page = {get engine() { return engine; }, get editor() { return editor; }, say, load, command, watched};

// Runs a command that the user may stop. The buttons of the others are off meanwhile.
async function watched(args, job) {
	if (commandGoing) return {stopped: true, status: 130, pieces: [], files: {}};
	commandGoing = true;
	clearTimeout(lintTimer);
	const buttons = ["run", "check", "explore", "debug", "judge", "picture-run", "picture-explore"].map($);
	const begun = performance.now();
	for (const button of buttons) button.disabled = true;
	$("stop").disabled = false;
	say(`ptxi ${args.join(" ")} …`);
	try {
		const result = await engine.run(job);
		result.seconds = (performance.now() - begun) / 1000;
		return result;
	} finally {
		for (const button of buttons) button.disabled = false;
		$("stop").disabled = true;
		commandGoing = false;
	}
}

function showOutput(args, result) {
	const out = $("output");
	let left = MOST_SHOWN;
	out.replaceChildren(element("span", {class: "command"}, `$ ptxi ${args.join(" ")}\n`));
	for (const {error, text} of result.pieces) {
		out.append(element("span", error ? {class: "error"} : {}, text.slice(0, left)));
		left -= Math.min(left, text.length);
	}
	if (!left) out.append(element("span", {class: "command"}, "\n… the rest is not shown\n"));
	if (result.stopped) out.append(element("span", {class: "error"}, "stopped\n"));
	else out.append(element("span", {class: "command"}, `status ${result.status}\n`));
}

async function command(what) {
	const text = editor.text, name = fileName(), args = [what, ...optionList(), name];
	const result = await watched(args, {args, files: {[name]: text}});
	if (result.stopped && !result.seconds) return;
	showOutput(args, result);
	if (result.stopped) {
		showTab("output");
		return say("stopped", "bad");
	}
	const findings = await findingsOf([what, ...optionList()], name, text, result);
	checked = text;
	editor.findings(findings, explain);
	showFindings(findings);
	const errors = findings.filter((f) => f.kind !== "warning").length;
	showTab(what === "check" && errors ? "findings" : "output");
	const count = findings.length ? `, ${findings.length} finding${findings.length > 1 ? "s" : ""} (F8 goes to them)` : "";
	const how = what === "check" && result.status === 1 ? "not passed" : STATUS[result.status] || "status " + result.status;
	say(`ptxi ${what}: ${how}${count}, ${result.seconds.toFixed(2)} s`, result.status ? "bad" : "good");
}

// The findings of a command that has just run: the same again, for programs to read.
async function findingsOf(start, name, text, before) {
	if (start.some((word) => word.startsWith("--format")) || before.status === 2) return [];
	const result = await engine.run({args: [...start, "--format=json", name], files: {[name]: text}});
	return parseFindings(result, name);
}

function parseFindings(result, name) {
	let parsed;
	if (result.stopped) return [];
	try { parsed = JSON.parse(result.pieces.filter((piece) => !piece.error).map((piece) => piece.text).join("")); } catch { return []; }
	const list = (parsed.cases || [parsed]).flatMap((one) => (one.findings || []).map((finding) => ({...finding, case: one.case})));
	for (const finding of list)
		for (const place of finding.places) place.elsewhere = place.file !== name;
	return list;
}

function showFindings(findings) {
	const list = $("findings"), tab = $("tab-findings");
	tab.replaceChildren("Findings", ...(findings.length ? [element("span", {class: "count"}, String(findings.length))] : []));
	if (!findings.length)
		return list.replaceChildren(element("p", {class: "quiet"}, "Nothing was found. Check looks for more than Run does: races, barriers, uninitialised memory."));
	list.replaceChildren(...findings.map((finding) => {
		const more = element("div", {});
		const places = finding.places.map((place, k) => element("p", {},
			element("button", {class: "link", onclick: () => editor.go(place.line, place.column), disabled: place.elsewhere}, `line ${place.line}`), place.text || (k ? "" : " here")));
		places.forEach((p) => p.firstChild.after(" "));
		return element("div", {class: finding.kind === "warning" ? "finding warning" : "finding"},
			element("p", {}, element("b", {}, finding.code + " "), finding.message, finding.count > 1 ? ` (${finding.count} times)` : ""),
			...places, ...(finding.case ? [element("p", {class: "quiet"}, `in case ${finding.case}`)] : []),
			...(finding.help ? [element("p", {}, element("b", {}, "Help: "), finding.help)] : []), ...(finding.notes || []).map((note) => element("p", {class: "quiet"}, note)),
			element("button", {"data-explain": finding.code, onclick: () => explainInto(finding.code, more)}, "Explain " + finding.code), more);
	}));
}

async function explainInto(code, place) {
	const result = await engine.run({args: ["explain", code]});
	place.replaceChildren(element("pre", {tabindex: 0}, textOf(result)));
}

function explain(code) {
	showTab("findings");
	const button = [...document.querySelectorAll("[data-explain]")].find((b) => b.dataset.explain === code);
	if (!button) return;
	button.click();
	button.scrollIntoView({block: "center"});
	button.focus();
}

// While one types: what the assembler says.
function changed() {
	store.set("text", editor.text);
	store.set("name", $("name").value);
	clearTimeout(lintTimer);
	lintTimer = setTimeout(async () => {
		const text = editor.text, name = fileName();
		if (commandGoing || text === checked || !text.trim() || !name.endsWith(".ptx")) return;
		const findings = parseFindings(await engine.run({args: ["as", "--format=json", "-o", "/out", name], files: {[name]: text}}), name);
		if (editor.text !== text || commandGoing) return;
		editor.findings(findings, explain);
		showFindings(findings);
	}, LINT_AFTER);
}

async function picture(what) {
	const text = editor.text, name = fileName(), args = [what, ...optionList(), "--picture=" + PICTURE, name];
	const result = await watched(args, {args, files: {[name]: text}, wanted: [PICTURE]});
	const svg = result.files[PICTURE];
	if (!svg) {
		$("picture").replaceChildren(element("pre", {}, result.stopped ? "stopped" : textOf(result) || "no picture was made"));
		return say("no picture", "bad");
	}
	// as an image: what a program's names contain is never part of the page
	const url = URL.createObjectURL(new Blob([svg], {type: "image/svg+xml"}));
	$("picture").replaceChildren(element("p", {class: "row"}, element("a", {href: url, download: name + ".svg"}, "Save the picture")), element("img", {src: url, alt: `Picture of ${what} ${name}`}));
	say(`the picture of ptxi ${what}`, "good");
}

// --- begin ---

async function inflate(base64) {
	const binary = atob(base64), bytes = new Uint8Array(binary.length);
	for (let k = 0; k < bytes.length; k++) bytes[k] = binary.charCodeAt(k);
	return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

async function begin() {
	// one container: the lengths of its parts, then wasm, worker, and the texts
	const data = await inflate($("data").textContent.trim()), view = new DataView(data.buffer);
	const [wasm, worker, texts] = [0, 1, 2].map((k) => [0, 1, 2].slice(0, k).reduce((at, j) => at + view.getUint32(4 * j), 12)).map((at, k) => data.subarray(at, at + view.getUint32(4 * k)));
	const {lessons: pages, grammar, licences, version} = JSON.parse(new TextDecoder().decode(texts));
	$("data").remove();
	engine = new Engine(await WebAssembly.compile(wasm), worker);
	const key = (name, run) => ({key: name, preventDefault: true, run: () => { run(); return true; }});
	editor = new Editor($("editor"), grammar, [key("Mod-Enter", () => command("run")), key("Mod-Shift-Enter", () => command("check")), key("Mod-.", () => engine.stop())], changed);
	for (const what of ["run", "check", "explore"]) $(what).onclick = () => command(what);
	$("stop").onclick = () => engine.stop();
	document.addEventListener("keydown", (e) => { if ((e.ctrlKey || e.metaKey) && e.key === "." && !e.defaultPrevented) engine.stop(); });
	const debug = new Debugger(page, $("debugger"));
	$("debug").onclick = async () => {
		showTab("debug");
		if (commandGoing) return;
		$("stop").disabled = false;
		try { await debug.open({name: fileName(), text: editor.text}, optionList()); } finally { $("stop").disabled = true; }
	};
	$("picture-run").onclick = () => picture("run");
	$("picture-explore").onclick = () => picture("explore");
	$("share").onclick = async () => {
		const fragment = await pack(fileName(), editor.text);
		history.replaceState(null, "", fragment);
		try {
			await navigator.clipboard.writeText(location.href);
			say(`the link is in the address bar and on the clipboard (${fragment.length} characters)`, "good");
		} catch {
			say(`the link is in the address bar: copy it from there (${fragment.length} characters)`, "good");
		}
	};
	$("open").onclick = () => $("chosen").click();
	$("chosen").onchange = async (e) => {
		const file = e.target.files[0];
		if (file) load(file.name, await file.text());
		e.target.value = "";
	};
	$("save").onclick = () => {
		const url = URL.createObjectURL(new Blob([editor.text], {type: "text/plain"}));
		element("a", {href: url, download: fileName()}).click();
		setTimeout(() => URL.revokeObjectURL(url), 10000);
	};
	$("version").textContent = version;
	$("licences").textContent = licences;
	lessons = new Lessons(page, pages, store);
	const fromLink = async () => {
		const program = await unpack(location.hash);
		if (program) load(...program);
		return !!program;
	};
	addEventListener("hashchange", fromLink);
	await lessons.open(Math.min(pages.length, Math.max(1, Number(store.get("lesson")) || 1)));
	if (!(await fromLink())) {
		if (store.get("text")) load(store.get("name") || "program.ptx", store.get("text"));
		else await lessons.load(Object.keys(pages[lessons.number - 1].files)[0]);
	}
	const help = await engine.run({args: ["run", "--help"]});
	$("tab-picture").hidden = !textOf(help).includes("--picture");
	say("ready", "good");
	document.documentElement.dataset.ready = "true";
}

begin().catch((e) => say(`This browser cannot run ptxi (${e.message}). Chromium 103, Firefox 113 and Safari 16.4, or later ones, can.`, "bad"));
