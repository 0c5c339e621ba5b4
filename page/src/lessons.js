// The panel of lessons: the pages that `ptxi learn` shows, and what it does with the exercise.
import {element} from "./element.js";
import {textOf} from "./engine.js";

const STATE = "/home/web_user/.local/state/ptxi/lessons", FOLDER = "/lesson/";

export class Lessons {
	#page;
	#files = {};
	#asked = 0;

	constructor(page, lessons, store) {
		this.#page = page;
		this.lessons = lessons;
		this.store = store;
		this.number = 0;
		const select = document.getElementById("lesson");
		lessons.forEach((lesson, k) => select.append(element("option", {value: k + 1}, lesson.title)));
		select.onchange = () => this.open(Number(select.value));
		document.getElementById("lesson-before").onclick = () => this.open(Math.max(1, this.number - 1));
		document.getElementById("lesson-next").onclick = () => this.open(Math.min(lessons.length, this.number + 1));
		document.getElementById("exercise").onclick = () => this.load("exercise.ptx");
		document.getElementById("judge").onclick = () => this.#learn("check", "exercise.ptx");
		document.getElementById("hint").onclick = () => this.#learn("hint");
		document.getElementById("solution").onclick = () => this.#learn("solution");
	}

	async open(number) {
		const text = document.getElementById("lesson-text");
		this.number = number;
		this.store.set("lesson", String(number));
		document.getElementById("lesson").value = String(number);
		document.getElementById("lesson-result").hidden = true;
		text.innerHTML = this.lessons[number - 1].html; // made when the page was built, from lessons/*.md
		text.parentElement.scrollTop = 0;
		for (const block of text.querySelectorAll(".block[data-file]")) {
			const {file, code, kind} = block.dataset;
			const bar = block.querySelector(".bar");
			bar.append(element("button", {onclick: () => this.load(file), "data-open": file}, "Open"));
			if (kind !== "exercise")
				bar.append(element("button", {onclick: async () => { if (await this.load(file)) this.#page.command("check"); }, "data-check": file}, code ? `Check: reports ${code}` : "Check"));
		}
		const asked = ++this.#asked;
		const result = await this.#page.engine.run({args: ["learn", String(number), "start", FOLDER.slice(0, -1)], wanted: [FOLDER]});
		if (asked === this.#asked) this.#files = result.files;
	}

	async load(file) {
		for (let k = 0; k < 100 && this.#files[FOLDER + file] === undefined; k++) await new Promise((done) => setTimeout(done, 20));
		const text = this.#files[FOLDER + file];
		if (text === undefined) return false;
		this.#page.load(file, text);
		return true;
	}

	async #learn(what, file) {
		const args = ["learn", String(this.number), what, ...(file ? [file] : [])], kept = this.store.get("learned");
		const files = file ? {[file]: this.#page.editor.text} : {};
		if (kept) files[STATE] = kept;
		const result = await this.#page.watched(args, {args, files, wanted: [STATE]});
		const place = document.getElementById("lesson-result");
		place.hidden = false;
		place.textContent = result.stopped ? "stopped" : textOf(result);
		if (result.files[STATE]) this.store.set("learned", result.files[STATE]);
		if (what === "solution") place.prepend("One way to do it:\n\n");
		this.#page.say(what !== "check" || result.stopped ? what : result.status === 0 ? `lesson ${this.number} is done` : "not yet: the first check that failed is shown", what === "check" && result.status === 0 ? "good" : what === "check" ? "bad" : "");
		place.scrollIntoView({block: "nearest"});
	}
}
