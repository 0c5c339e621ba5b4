// The time line: for each warp when it runs and when it waits, from a trace (docs/TRACE.md). One nanosecond of the trace is one step.
import {element} from "./element.js";

const MOST_ROWS = 16, SVG = "http://www.w3.org/2000/svg";

// The events of named case number WHICH of NAMED in the trace, or of the first case that launches something. Directives before the first name are a case of their own.
export function readTrace(text, which, named) {
	const cases = [];
	for (const line of text.split("\n")) {
		let event;
		try { event = JSON.parse(line); } catch { continue; }
		if (event.event === "run begins") cases.push([]);
		if (cases.length) cases[cases.length - 1].push(event);
	}
	const chosen = which === undefined ? cases.find((list) => list.some((e) => e.event === "launch begins")) : cases[which + cases.length - named];
	const rows = new Map(), phases = [];
	if (!chosen || !chosen.length) return null;
	const begin = chosen[0].time;
	let end = 1;
	for (const e of chosen) {
		const at = e.time - begin;
		end = Math.max(end, at);
		if (e.event === "phase flips") phases.push({at, what: e.barrier ? `barrier ${e.barrier.number}, phase ${e.barrier.phase}` : e.mbarrier ? `${e.mbarrier.name || "mbarrier"}, phase ${e.mbarrier.phase}` : "cluster barrier"});
		if (e.event === "cta ends")
			for (const row of rows.values()) if (row.launch === e.launch && row.cta === e.cta) row.last = at;
		if (e.warp === undefined) continue;
		const key = `${e.launch}.${e.cta}.${e.warp}`;
		if (!rows.has(key)) rows.set(key, {launch: e.launch, cta: e.cta, warp: e.warp, last: 0, waits: []});
		const row = rows.get(key);
		row.last = Math.max(row.last, at);
		if (e.event === "wait ends") row.waits.push({from: (e.since ?? e.time) - begin, to: at, line: e.line, what: e.instruction, outcome: e.outcome});
	}
	const list = [...rows.values()].sort((a, b) => a.launch - b.launch || a.cta - b.cta || a.warp - b.warp);
	return {rows: list, phases, end};
}

function svg(tag, attributes, text) {
	const made = document.createElementNS(SVG, tag);
	for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
	if (text !== undefined) {
		const title = document.createElementNS(SVG, tag === "text" ? "tspan" : "title");
		title.textContent = text;
		made.append(title);
	}
	return made;
}

export function drawTimeline(events, steps, step, go) {
	if (!events || !events.rows.length) return [];
	const rows = events.rows.slice(0, MOST_ROWS), left = 96, width = 800, high = 16, height = rows.length * high + 22;
	const end = Math.max(events.end, steps, 1), x = (time) => left + (width - left - 8) * Math.min(time, end) / end;
	const picture = svg("svg", {id: "timeline", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Time line of ${rows.length} warps over ${steps} steps; the slider above moves through it`});
	rows.forEach((row, k) => {
		const y = 4 + k * high;
		picture.append(svg("text", {x: 4, y: y + 11}, `CTA ${row.cta} warp ${row.warp}`));
		picture.append(svg("rect", {x: x(0), y: y + 2, width: Math.max(1, x(row.last) - x(0)), height: high - 5, class: "runs"}, `CTA ${row.cta}, warp ${row.warp}`));
		for (const wait of row.waits)
			picture.append(svg("rect", {x: x(wait.from), y: y + 2, width: Math.max(1.5, x(wait.to) - x(wait.from)), height: high - 5, class: "waits"}, `waits at line ${wait.line}: ${wait.what}${wait.outcome === "complete" ? "" : ", " + wait.outcome}`));
	});
	for (const phase of events.phases.slice(0, 200))
		picture.append(svg("line", {x1: x(phase.at), x2: x(phase.at), y1: 2, y2: height - 18, class: "phase"}, `${phase.what} completes`));
	picture.append(svg("line", {x1: x(step), x2: x(step), y1: 0, y2: height - 16, class: "now"}));
	picture.append(svg("text", {x: Math.min(x(step), width - 60), y: height - 4}, `step ${step}`));
	picture.addEventListener("click", (e) => {
		const box = picture.getBoundingClientRect();
		go(Math.round(((e.clientX - box.left) / box.width * width - left) / (width - left - 8) * end));
	});
	const legend = element("p", {class: "legend"}, element("i", {style: "background:var(--runs)"}), "runs or can run", element("i", {style: "background:var(--wait)"}), "waits", element("i", {style: "background:var(--good);width:2px"}), "a phase completes");
	if (events.rows.length > rows.length) legend.append(` (the first ${rows.length} of ${events.rows.length} warps)`);
	return [element("h3", {}, "Time line"), picture, legend];
}
