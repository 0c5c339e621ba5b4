// The debugger's panel. Every position of the slider is a command of its own, `ptxi debug` with a few lines as its input: a run is the same each time.
import {element} from "./element.js";
import {textOf} from "./engine.js";
import {drawTimeline, readTrace} from "./timeline.js";

const MOST_STEPS = 1000000, MOST_NAMES = 12, TRACE = "/trace.jsonl";

// What each command of a session printed: [[command, text], ...].
function answers(text) {
	const list = [["", ""]];
	for (const line of text.split("\n")) {
		if (line.startsWith("(ptxi) ")) list.push([line.slice(7), ""]);
		else list[list.length - 1][1] += line + "\n";
	}
	return list;
}

// The registers of `info registers`: lines "%r1[0..31] = 1 2 3", which go on in lines that begin with a space.
function registers(text) {
	const list = [];
	for (const line of text.split("\n")) {
		if (/^\s/.test(line) && list.length) list[list.length - 1][1] += "\n" + line.trim();
		else if (line.includes(" = ")) list.push([line.slice(0, line.indexOf(" = ")), line.slice(line.indexOf(" = ") + 3)]);
	}
	return list;
}

// The names that memory is shown under: buffers of the directives, variables of the program.
function names(source) {
	const found = new Set();
	for (const m of source.matchAll(/^\s*\/\/@\s*buffer\s+([A-Za-z_]\w*)/gm)) found.add(m[1]);
	for (const m of source.matchAll(/^\s*(?:\.\w+\s+)*\.(?:shared|global)\b[^;=\n]*?([A-Za-z_$%][\w$]*)\s*(?:\[[^;=\n]*\])?\s*[;=]/gm)) found.add(m[1]);
	return [...found].slice(0, MOST_NAMES);
}

export class Debugger {
	#page;
	#at = 0;
	#last = 0;
	#wanted = null;
	#before = new Map();
	#who = "";

	constructor(page, parent) {
		this.#page = page;
		this.parent = parent;
	}

	#command(lines, more = {}) {
		const {name, text} = this.program;
		return this.#page.engine.run({args: ["debug", "-v", "-w", ...this.options, ...(this.which ? ["--case=" + this.which] : []), name], files: {[name]: text}, input: lines.join("\n") + "\n", ...more});
	}

	// Begins with the program in the editor.
	async open(program, options) {
		const cases = [...program.text.matchAll(/^\s*\/\/@\s*case\s+([A-Za-z_]\w*)/gm)].map((m) => m[1]);
		this.program = program;
		this.options = options;
		this.cases = cases;
		if (!cases.includes(this.which)) this.which = undefined;
		await this.begin();
	}

	async begin() {
		const first = await this.#command([`goto ${MOST_STEPS}`, "where", "info findings"]);
		if (first.stopped) return this.#page.say("stopped", "bad");
		const text = textOf(first), ended = text.match(/the run has ended after (\d+) steps?/), at = text.match(/^step (\d+):/gm);
		if (!ended && (!at || !text.includes("(ptxi) "))) {
			this.parent.replaceChildren(element("pre", {}, text || "nothing to debug"));
			return this.#page.say("the debugger cannot run this program", "bad");
		}
		this.#last = ended ? Number(ended[1]) : MOST_STEPS;
		this.ended = !!ended;
		this.events = null;
		const {name, text: source} = this.program;
		const trace = await this.#page.engine.run({args: ["run", "-q", "-w", "--max-steps=" + MOST_STEPS, ...this.options.filter((o) => !/^--(check|runs)/.test(o)), "--trace=" + TRACE, name], files: {[name]: source}, wanted: [TRACE]});
		this.events = readTrace(trace.files[TRACE] || "", this.which ? this.cases.indexOf(this.which) : undefined, this.cases.length);
		this.#draw();
		this.#at = 0;
		await this.show(0);
		this.#page.say(this.ended ? `${this.#last} steps: move the slider, or use the arrow keys on it` : `the first ${MOST_STEPS} steps of a long run`, "good");
	}

	#draw() {
		const go = (f) => () => this.show(f());
		this.slider = element("input", {type: "range", id: "step", min: 0, max: this.#last, value: 0, "aria-label": "Step", oninput: () => this.show(Number(this.slider.value))});
		this.number = element("output", {"aria-live": "off", class: "mono"});
		this.where = element("pre", {class: "where", "aria-live": "polite"});
		this.sections = {};
		const section = (key, title) => {
			this.sections[key] = element("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": title});
			return element("section", {}, element("h3", {}, title), this.sections[key]);
		};
		const names = this.cases.length ? [element("label", {}, "Case ", element("select", {id: "case", onchange: (e) => { this.which = e.target.value || undefined; this.begin(); }},
			element("option", {value: ""}, "(the first)"), ...this.cases.map((name) => element("option", this.which === name ? {value: name, selected: true} : {value: name}, name))))] : [];
		this.console = element("input", {id: "console", class: "mono", size: 24, placeholder: "who wrote out[3]", "aria-label": "Command of the debugger", spellcheck: "false", autocomplete: "off"});
		this.said = element("pre", {"aria-live": "polite"});
		this.parent.replaceChildren(
			element("div", {class: "row"}, ...names, element("button", {"aria-label": "First step", onclick: go(() => 0)}, "|◀"), element("button", {id: "back", "aria-label": "Step back", onclick: go(() => this.#at - 1)}, "◀ Back"),
				element("button", {id: "forward", "aria-label": "Step forwards", onclick: go(() => this.#at + 1)}, "Step ▶"), element("button", {"aria-label": "Last step", onclick: go(() => this.#last)}, "▶|"), this.number),
			this.slider, this.where, this.picture = element("div", {}),
			element("div", {class: "columns"}, section("warps", "Threads"), section("why", "What they wait for"), section("barriers", "Barriers and mbarriers"), section("memory", "Memory")),
			section("registers", "Registers of the warp that executes the step"),
			element("h3", {}, "Ask the debugger"),
			element("form", {class: "row", onsubmit: (e) => { e.preventDefault(); this.#ask(this.console.value); }}, this.console, element("button", {}, "Ask"), element("span", {class: "quiet"}, "such as: who wrote NAME, continue, break 24, help")), this.said);
	}

	// Shows a step; while one is computed, only the last of the others is remembered.
	async show(step) {
		step = Math.max(0, Math.min(this.#last, step));
		this.slider.value = step;
		if (this.#wanted !== null) { this.#wanted = step; return; }
		this.#wanted = step;
		for (let done = -1; this.#wanted !== done;) {
			done = this.#wanted;
			const list = names(this.program.text);
			const result = await this.#command([`goto ${done}`, "where", "warps", "info registers", "info barriers", "why", ...list.map((name) => "print " + name)]);
			if (result.stopped) break;
			this.#fill(done, answers(textOf(result)), list);
		}
		this.#wanted = null;
	}

	#fill(step, list, shown) {
		const said = (command) => (list.find(([c]) => c === command) || ["", ""])[1].trimEnd();
		const pre = (key, text, none) => this.sections[key].replaceChildren(element("pre", {}, text || none));
		const where = said("where"), line = where.match(/^\s+(\d+) {2,3}/m);
		this.#at = step;
		this.slider.value = step;
		this.slider.setAttribute("aria-valuetext", where.split("\n").slice(0, 2).join(": "));
		this.number.textContent = `step ${step} of ${this.#last}`;
		this.where.textContent = where;
		this.#page.editor.step(line ? Number(line[1]) : 0);
		pre("warps", said("warps"), "no CTA runs");
		pre("barriers", said("info barriers"), "none so far");
		pre("why", said("why"), "nothing waits");
		const now = new Map(registers(said("info registers")));
		// what has changed since the position before, if it was of the same warp
		const who = (where.match(/CTA \d+, warp \d+/) || [""])[0], known = who && who === this.#who;
		const row = ([name, value]) => element("tr", known && this.#before.get(name) !== value ? {class: "changed"} : {}, element("td", {}, name), element("td", {class: "value"}, value));
		this.sections.registers.replaceChildren(now.size ? element("table", {}, element("tbody", {}, ...[...now].map(row))) : element("pre", {}, "no warp runs"));
		this.#before = now;
		this.#who = who;
		const memory = shown.map((name) => said("print " + name)).filter((text) => text.includes(" = "));
		pre("memory", memory.join("\n"), "no buffers or variables are known here");
		this.picture.replaceChildren(...drawTimeline(this.events, this.#last, step, (to) => this.show(to)));
	}

	async #ask(command) {
		if (!command.trim()) return;
		const result = await this.#command([`goto ${this.#at}`, command]);
		const said = answers(textOf(result)).slice(2).map(([, text]) => text).join("");
		this.said.textContent = result.stopped ? "stopped" : said || "(nothing)";
		const steps = [...said.matchAll(/^step (\d+): CTA/gm)];
		const ended = /^the run has ended/m.test(said);
		if (/^(s|step|n|next|c|continue|b|back|goto|u|until|finish|rs|rn|rc|reverse)/.test(command.trim()) && (steps.length || ended))
			this.show(ended ? this.#last : Number(steps[steps.length - 1][1]));
	}
}
