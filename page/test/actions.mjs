// What a user does with the page, in a real Chromium: each action is done and what must be seen after it is checked. Screenshots go to FOLDER.
//   node page/test/actions.mjs PAGE FOLDER [CHROMIUM]
import puppeteer from "puppeteer-core";
import {mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";
import {deflateRawSync} from "node:zlib";

const [file, folder, chromium = "/usr/bin/chromium"] = process.argv.slice(2), url = pathToFileURL(resolve(file)).href;
const PATIENCE = 120000; // for one thing to be seen; a machine may be slow, and nothing here depends on how fast it is
mkdirSync(folder, {recursive: true});

const browser = await puppeteer.launch({executablePath: chromium, args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"], protocolTimeout: 2 * PATIENCE});
const requests = [], problems = [];
let page, actions = 0, failed = 0;

async function open(address, width = 1280, height = 800) {
	const made = await browser.newPage();
	await made.setViewport({width, height});
	await made.setOfflineMode(true);
	made.setDefaultTimeout(PATIENCE);
	made.on("request", (r) => requests.push(r.url().slice(0, 80)));
	made.on("pageerror", (e) => problems.push(e.message));
	made.on("console", (m) => { if (m.type() === "error") problems.push(m.text()); });
	made.on("dialog", (d) => { problems.push("a dialog: " + d.message()); d.dismiss(); });
	await made.goto(address);
	await made.waitForFunction(() => document.documentElement.dataset.ready === "true");
	return made;
}

async function act(name, work) {
	actions++;
	try {
		await work();
		console.log(`ok ${actions} ${name}`);
	} catch (e) {
		failed++;
		console.log(`FAIL ${actions} ${name}: ${e.message.split("\n")[0]}`);
		console.log(`     status: ${await page.$eval("#status", (s) => s.textContent).catch(() => "?")}`);
		await page.screenshot({path: join(folder, `failed-${actions}.png`)}).catch(() => {});
	}
}

const shot = (name, more = {}) => page.screenshot({path: join(folder, name + ".png"), ...more});
const must = (is, what) => { if (!is) throw new Error(what); };
const see = (test, ...args) => page.waitForFunction(test, {polling: 50}, ...args);
const text = (selector) => page.$eval(selector, (e) => e.textContent);
const sees = (selector, part) => see((s, p) => (document.querySelector(s)?.textContent || "").includes(p), selector, part);
const program = () => page.$$eval(".cm-line", (lines) => lines.map((l) => l.textContent).join("\n"));
const status = (part) => sees("#status", part);
const click = (selector) => page.$eval(selector, (e) => { e.scrollIntoView({block: "center"}); e.click(); });
const tab = (name) => click("#tab-" + name);
const value = (selector, to) => page.$eval(selector, (e, v) => { e.value = v; e.dispatchEvent(new Event("change", {bubbles: true})); e.dispatchEvent(new Event("input", {bubbles: true})); }, to);
const link = (name, source) => "#p=" + deflateRawSync(Buffer.from(JSON.stringify([name, source]))).toString("base64url");
async function put(name, source) {
	await page.evaluate((hash) => { location.hash = hash; }, link(name, source));
	await status(`${name} is open`);
}
async function press(...keys) {
	for (const key of keys.slice(0, -1)) await page.keyboard.down(key);
	await page.keyboard.press(keys[keys.length - 1]);
	for (const key of keys.slice(0, -1).reverse()) await page.keyboard.up(key);
}
async function lesson(number) {
	await tab("lesson");
	await page.select("#lesson", String(number));
	await see((n) => document.querySelector("#lesson-text h1").textContent.startsWith(n + "."), number);
}

const ENDLESS = `//@ buffer o : u32[1] = 0
//@ launch spin<<<1, 32>>>(o)
.version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 o)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [o];
	mov.u32 %r1, 0;
again:
	add.u32 %r1, %r1, 1;
	st.global.u32 [%rd1], %r1;
	bra again;
}
`;

page = await open(url);

// --- opening ---
await act("the page opens from a file, without a network", async () => { await sees("#status", "ready"); await shot("01-opened"); });
await act("the first lesson is there, and its program in the editor", async () => { await sees("#lesson-text h1", "1. Threads"); must((await program()).includes("squares<<<1, 8>>>"), "no program"); });
await act("instructions and types have colours", async () => must(await page.$(".cm-line .tok-keyword") && await page.$(".cm-line .tok-typeName") && await page.$(".cm-line .tok-comment"), "no colours"));
await act("every button, field and panel has a name for screen readers", async () => {
	const nameless = await page.$$eval("button, input:not([hidden]), select, [role=tabpanel], [contenteditable=true]", (all) => all.filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length || document.getElementById(e.getAttribute("aria-labelledby")) || e.type === "file")).map((e) => e.outerHTML.slice(0, 80)));
	must(!nameless.length, nameless.join(", "));
});

// --- run ---
await act("Run prints the program's output", async () => { await click("#run"); await sees("#output", "out[0..7] = 0 1 4 9 16 25 36 49"); });
await act("the output names the command", async () => must((await text("#output")).startsWith("$ ptxi run squares.ptx\n"), "no command line"));
await act("the status says how it went", async () => { await status("ptxi run: no problems"); await shot("02-run"); });

// --- typing ---
await act("typing a mistake underlines it", async () => {
	await page.click(".cm-line:nth-child(15)");
	await press("End");
	await page.keyboard.type("\n\tmul.lo.u99 %r2, %r1, %r1;");
	await page.waitForSelector(".cm-lintRange-error");
});
await act("the mistake has a mark beside its line", () => page.waitForSelector(".cm-gutter-lint .cm-lint-marker-error"));
await act("the tab of the findings counts it", () => sees("#tab-findings .count", "1"));
await act("resting on the underlined text shows the finding", async () => {
	const mark = await page.$(".cm-lintRange-error");
	await mark.hover();
	await page.waitForSelector(".cm-tooltip-lint .cm-diagnostic");
	await shot("03-squiggle");
	must(/[A-Z]\d{4}/.test(await text(".cm-tooltip-lint")), "no code in the tip");
});
await act("Explain in the tip explains the code", async () => { await click(".cm-diagnosticAction"); await page.waitForSelector("#findings pre"); must((await text("#findings pre")).length > 80, "no explanation"); });
await act("the findings name the line, and a click goes there", async () => { await click("#findings button.link"); must((await page.$eval(".cm-activeLine", (e) => e.textContent)).includes("u99"), "another line"); });
await act("undoing the mistake takes the line away", async () => {
	for (let k = 0; k < 60 && (await program()).includes("u99"); k++) await press("Control", "z");
	must(!(await program()).includes("\n\tmul.lo.u99"), "still there");
	await see(() => !document.querySelector(".cm-lintRange-error") && !document.querySelector("#tab-findings .count"));
});
await act("Ctrl+F searches, Escape ends it", async () => {
	await page.click(".cm-line:nth-child(3)");
	await press("Control", "f");
	await page.waitForSelector(".cm-search");
	await page.keyboard.press("Escape");
	await see(() => !document.querySelector(".cm-search"));
});

// --- a lesson's wrong variant: the first finding explained ---
await act("lesson 3 opens from the list", async () => { await lesson(3); await shot("04-lesson"); });
await act("its wrong variant opens in the editor", async () => { await click("[data-open='in_place.ptx']"); await status("in_place.ptx is open"); });
await act("Check finds the race", async () => { await click("#check"); await status("ptxi check: not passed, 1 finding"); });
await act("the findings show by themselves", async () => { must(await page.$eval("#panel-findings", (e) => !e.hidden), "hidden"); must((await text("#findings")).includes("data race on in["), "no race"); });
await act("both accesses are marked in the editor", async () => { await page.waitForSelector(".cm-lintRange-error"); await page.waitForSelector(".cm-lintRange-info"); });
await act("Explain shows the rule of the code", async () => { await click("[data-explain=R0101]"); await sees("#findings pre", "R0101"); await shot("05-explained"); });
await act("F8 goes to the finding from the editor", async () => {
	await page.click(".cm-line:nth-child(2)");
	await press("F8");
	await see(() => /global/.test(document.querySelector(".cm-activeLine").textContent));
});
await act("options of the command line: --runs=50", async () => {
	await value("#options", "--runs=50 -e 'observe in[31]'");
	await click("#run");
	await sees("#output", "2 outcomes in 50 runs");
	await shot("06-runs");
});
await act("an option that does not exist is refused with the reason", async () => { await value("#options", "--nonsense"); await click("#run"); await sees("#output", "--nonsense"); await status("was not understood"); await value("#options", ""); });

// --- the exercise ---
await act("the exercise opens", async () => { await tab("lesson"); await click("#exercise"); await status("exercise.ptx is open"); });
await act("its starting point fails the checks", async () => { await click("#judge"); await sees("#lesson-result", "FAIL"); await status("not yet"); await shot("07-judged"); });
await act("a hint", async () => { await click("#hint"); await sees("#lesson-result", "1."); });
await act("a second hint, after the first", async () => { await click("#hint"); await sees("#lesson-result", "2."); });
let solution = "";
await act("the solution", async () => { await click("#solution"); await sees("#lesson-result", ".entry"); solution = (await text("#lesson-result")).replace("One way to do it:\n\n", ""); });
await act("the solution passes the checks", async () => { await put("exercise.ptx", solution); await tab("lesson"); await click("#judge"); await status("lesson 3 is done"); });
await act("the next lesson, and back", async () => { await click("#lesson-next"); await sees("#lesson-text h1", "4."); await click("#lesson-before"); await sees("#lesson-text h1", "3."); });
await act("wrong variants of lessons report their code", async () => {
	for (const [number, name, code] of [[1, null, "F0202"], [5, null, "R0101"], [10, null, "S0107"], [21, null, "S0230"]]) {
		await lesson(number);
		const button = await page.$eval(`#lesson-text .block[data-code='${code}']`, (e) => e.dataset.file);
		await click(`[data-check='${button}']`);
		await see((c) => [...document.querySelectorAll("#findings .finding b")].some((b) => b.textContent.trim() === c) && !document.querySelector("#check").disabled, code);
	}
});

// --- explore ---
await act("Explore lists the outcomes of message passing", async () => {
	await lesson(16);
	const name = await page.$eval("#lesson-text .block[data-code='X0106']", (e) => e.dataset.file);
	await click(`[data-open='${name}']`);
	await status(`${name} is open`);
	await click("#explore");
	await sees("#output", "States");
	await shot("08-explore");
});

// --- the debugger ---
const course = (name) => readFileSync(`tests/ptx/course/${name}.ptx`, "utf8");
const at = (step) => see((s) => document.querySelector("#debugger output")?.textContent.startsWith(`step ${s} of`), step);
await act("Debug opens with a slider over all steps", async () => { await put("scan.ptx", course("scan")); await click("#debug"); await status("170 steps"); await at(0); });
await act("the slider goes to a step", async () => { await value("#step", 60); await at(60); });
await act("the editor marks the line of the step", async () => must((await page.$eval(".cm-step", (e) => e.textContent)).length > 3, "no mark"));
await act("a step forwards, by its button", async () => { await click("#forward"); await at(61); });
await act("a step backwards", async () => { await click("#back"); await at(60); });
await act("arrow keys move the slider", async () => { await page.focus("#step"); await page.keyboard.press("ArrowRight"); await at(61); await page.keyboard.press("ArrowLeft"); await at(60); });
await act("registers that changed are marked", async () => { let marked = false; for (let step = 61; step < 70; step++) { await click("#forward"); await at(step); marked ||= !!(await page.$("#debugger tr.changed")); } must(marked, "never marked"); });
await act("barriers, threads and memory are shown", async () => {
	must((await text("#debugger [aria-label='Threads']")).includes("warp 1: threads 32 to 63"), "no warps");
	must((await text("#debugger [aria-label='Barriers and mbarriers']")).includes("barrier 0: phase"), "no barrier");
	must((await text("#debugger [aria-label=Memory]")).includes("out[0..63] ="), "no memory");
	await shot("09-debugger");
});
await act("a click on the time line goes there", async () => {
	const box = await (await page.$("#timeline")).boundingBox();
	await page.mouse.click(box.x + box.width * 0.9, box.y + 8);
	await see(() => Number(document.querySelector("#step").value) > 100 && document.querySelector("#debugger output").textContent.startsWith("step " + document.querySelector("#step").value));
});
await act("the last step shows the results in memory", async () => { await value("#step", 170); await at(170); await sees("#debugger [aria-label=Memory]", "1 3 6 10 15 21"); });
await act("the debugger answers who wrote a number", async () => { await page.type("#console", "who wrote out[3]"); await page.keyboard.press("Enter"); await sees("#panel-debug", "wrote out[3]: 0 -> 10"); });
await act("a command of the debugger moves the slider", async () => { await value("#console", ""); await page.type("#console", "goto 20"); await page.keyboard.press("Enter"); await at(20); });
await act("another case of the file, which hangs: why", async () => {
	await put("divergent.ptx", course("divergent_barrier"));
	await click("#debug");
	await page.waitForSelector("#case");
	await page.select("#case", "hangs");
	await status("30 steps");
	await value("#step", 30);
	await at(30);
	await sees("#debugger [aria-label='What they wait for']", "32 of 64 threads have arrived");
	await shot("10-hangs");
});

// --- the link ---
await act("Share puts the program into the address", async () => { await put("scan.ptx", course("scan")); await click("#share"); await see(() => location.hash.startsWith("#p=")); });
await act("the link opens the same program elsewhere", async () => {
	const address = await page.evaluate(() => location.href), before = page;
	page = await open(address);
	must(await page.$eval("#name", (e) => e.value) === "scan.ptx" && (await program()).startsWith(course("scan").split("\n").slice(0, 3).join("\n")), "another program");
	await page.close();
	page = before;
});
await act("a broken link does nothing", async () => { const was = await program(); await page.evaluate(() => { location.hash = "#p=%%%"; }); await page.evaluate(() => { location.hash = "#p=AAAA"; }); must(await program() === was, "changed"); });
await act("a link that unpacks to very much is refused", async () => {
	const was = await program();
	await page.evaluate((h) => { location.hash = h; }, link("a.ptx", " ".repeat(8 << 20)));
	await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
	must(await program() === was, "changed");
});
await act("a file is opened from the disk", async () => {
	const path = join(folder, "mine.ptx");
	writeFileSync(path, ENDLESS);
	await (await page.$("#chosen")).uploadFile(resolve(path));
	await status("mine.ptx is open");
});

// --- stopping ---
await act("a program without an end runs", async () => { await put("spin.ptx", ENDLESS); await click("#run"); await see(() => !document.querySelector("#stop").disabled); });
await act("Stop ends it", async () => { await click("#stop"); await sees("#output", "stopped"); await status("stopped"); });
await act("after that, everything still works", async () => { await put("scan.ptx", course("scan")); await click("#run"); await sees("#output", "out[0..15] = 1 3 6 10"); });
await act("Ctrl+. stops, too", async () => {
	await put("spin.ptx", ENDLESS);
	await page.click(".cm-line");
	await press("Control", "Enter");
	await see(() => !document.querySelector("#stop").disabled);
	await press("Control", ".");
	await status("stopped");
	await shot("11-stopped");
});

// --- keyboard ---
await act("with the keyboard alone: from the top to Run", async () => {
	page.close();
	page = await open(url);
	await lesson(1);
	await click("[data-open='squares.ptx']");
	await status("squares.ptx is open");
	await page.evaluate(() => { document.activeElement.blur(); });
	for (let k = 0; k < 12 && (await page.evaluate(() => document.activeElement.id)) !== "run"; k++) await page.keyboard.press("Tab");
	must((await page.evaluate(() => document.activeElement.id)) === "run", "Run is not reached");
	await page.keyboard.press("Enter");
	await sees("#output", "0 1 4 9");
});
await act("arrow keys go through the tabs", async () => {
	await page.focus("#tab-output");
	await page.keyboard.press("ArrowRight");
	must(await page.evaluate(() => document.activeElement.id) === "tab-findings" && await page.$eval("#panel-findings", (e) => !e.hidden), "no");
});
await act("Tab leaves the editor", async () => { await page.click(".cm-line"); await page.keyboard.press("Tab"); must(!(await page.evaluate(() => document.activeElement.closest(".cm-editor"))), "still in the editor"); });
await act("Ctrl+Shift+Enter checks", async () => { await page.click(".cm-line"); await press("Control", "Shift", "Enter"); await status("ptxi check: no problems"); });

// --- light, dark, narrow ---
await act("dark, as the system has it", async () => {
	await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: "dark"}]);
	await see(() => document.documentElement.dataset.theme === "dark");
	await lesson(3);
	await click("[data-check='in_place.ptx']");
	await status("1 finding");
	await shot("12-dark");
});
await act("dark: the debugger", async () => { await click("#debug"); await status("steps"); await value("#step", 9); await at(9); await shot("13-dark-debugger"); });
await act("light, by the button, whatever the system has", async () => { await click("#theme"); await see(() => document.documentElement.dataset.theme === "light"); });
await act("texts have contrast, light and dark", async () => {
	for (const theme of ["light", "dark"]) {
		await page.evaluate((t) => { document.documentElement.dataset.theme = t; }, theme);
		const low = await page.evaluate(() => {
			const style = getComputedStyle(document.documentElement), rgb = (name) => { const d = document.createElement("i"); d.style.color = style.getPropertyValue(name); document.body.append(d); const c = getComputedStyle(d).color.match(/[\d.]+/g).slice(0, 3).map(Number); d.remove(); return c; };
			const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
			const ratio = (a, b) => { const [x, y] = [light(rgb(a)), light(rgb(b))].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
			const names = ["--text", "--quiet", "--error", "--good", "--accent", "--keyword", "--type", "--number", "--comment", "--string", "--meta", "--label", "--modifier"];
			return names.flatMap((n) => ["--back", "--panel"].filter((b) => ratio(n, b) < 4.5).map((b) => `${n} on ${b}: ${ratio(n, b).toFixed(2)}`));
		});
		must(!low.length, theme + ": " + low.join(", "));
	}
});
await act("a phone: nothing is wider than the screen", async () => {
	await page.emulateMediaFeatures([]);
	page.close();
	page = await open(url, 390, 844);
	must(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it scrolls sideways");
	await shot("14-phone");
});
await act("a phone: check, and the finding is on the screen", async () => {
	await lesson(3);
	await click("[data-check='in_place.ptx']");
	await status("1 finding");
	must(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it scrolls sideways");
	await shot("15-phone-finding", {fullPage: true});
});
await act("a phone: the debugger", async () => { await click("#debug"); await status("steps"); await value("#step", 5); await at(5); must(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it scrolls sideways"); await shot("16-phone-debugger", {fullPage: true}); page.close(); page = await open(url); });

// --- what strangers send ---
const EVIL = `//@ case "<img src=x onerror=hacked=1>"
//@ buffer out : u32[1] = 0 // </textarea><script>hacked=1</script>
//@ launch k<<<1, 32>>>(out)
//@ print out
//@ expect out == 1
.version 7.0
.target sm_70
.address_size 64
.file 1 "<img src=x onerror=hacked=1>"
.visible .entry k(.param .u64 out)
{
	<script>hacked=1</script>
	</textarea><svg onload=hacked=1>
}
`;
await act("a program of markup is text: run, check, debug", async () => {
	await put("x.ptx", EVIL);
	for (const button of ["#run", "#check", "#explore", "#debug"]) {
		await click(button);
		await see(() => !document.querySelector("#run").disabled && document.querySelector("#stop").disabled);
	}
	await tab("findings");
	await shot("17-hostile");
	must(await page.evaluate(() => window.hacked === undefined && !document.querySelector("#side script, #left script") && ![...document.querySelectorAll("#side img")].some((e) => !e.closest("#lesson-text"))), "markup was taken for markup");
});
await act("a printed text of markup is text", async () => {
	await put("x.ptx", course("scan").replace("//@ print out[0..15]", "//@ print \"<img src=x onerror=hacked=1></pre><script>hacked=1</script>\"\n//@ print out[0..15]"));
	await click("#run");
	await sees("#output", "status");
	must(await page.evaluate(() => window.hacked === undefined && ![...document.querySelectorAll("#side img")].some((e) => !e.closest("#lesson-text"))), "markup was taken for markup");
});
await act("a file name of markup, or of folders, is only a name", async () => {
	await value("#name", "<img src=x onerror=hacked=1>/../../--trace=x.ptx");
	await click("#run");
	await sees("#output", "$ ptxi run _img_src");
	must(await page.evaluate(() => window.hacked === undefined && ![...document.querySelectorAll("#side img")].some((e) => !e.closest("#lesson-text"))), "markup was taken for markup");
});
await act("a finding about markup is text, in the tip, too", async () => {
	await put("x.ptx", course("scan").replace("bar.sync 0;", "bar.sync <b/onmouseover=hacked=1>;"));
	await page.waitForSelector(".cm-lintRange-error");
	await (await page.$(".cm-lintRange-error")).hover();
	await page.waitForSelector(".cm-tooltip-lint .cm-diagnostic");
	must(await page.evaluate(() => window.hacked === undefined && !document.querySelector(".cm-tooltip b, #findings .finding b b")), "markup was taken for markup");
});
await act("scripts from outside are forbidden by the page itself", async () => {
	const ran = await page.evaluate(() => new Promise((done) => { const s = document.createElement("script"); s.textContent = "window.hacked = 1"; document.body.append(s); setTimeout(() => done(window.hacked !== undefined), 100); }));
	must(!ran, "an inline script ran");
	must(problems.some((p) => /Content Security Policy/.test(p)), "no policy");
	problems.splice(0, problems.length, ...problems.filter((p) => !/Content Security Policy/.test(p)));
});
await act("very long output is cut, and the page stays usable", async () => {
	await put("x.ptx", course("scan"));
	await value("#options", "--trace=- --trace-atomics --runs=400");
	await click("#run");
	await see(() => document.querySelector("#stop").disabled && document.querySelector("#output").textContent.includes("status"));
	must((await text("#output")).length < 400000, "not cut");
	await value("#options", "");
});
const picture = () => see(() => document.querySelector("#picture img")?.naturalWidth > 50 && !document.querySelector("#run").disabled);
await act("a picture of the run", async () => { await put("scan.ptx", course("scan")); await tab("picture"); await click("#picture-run"); await picture(); await shot("18-picture"); });
await act("a picture of the exploration", async () => {
	await lesson(16);
	await click(`[data-open='${await page.$eval("#lesson-text .block[data-code='X0106']", (e) => e.dataset.file)}']`);
	await tab("picture");
	await page.$eval("#picture", (e) => e.replaceChildren());
	await click("#picture-explore");
	await picture();
	await shot("19-picture-explore");
});
await act("markup in the names of a picture stays inside the image", async () => {
	await put("x.ptx", course("scan").replaceAll("//@ launch", "//@ case \"<script>hacked=1</script>\"\n//@ launch").replaceAll(/\bbox\b/g, "$script_alert"));
	await tab("picture");
	await page.$eval("#picture", (e) => e.replaceChildren());
	await click("#picture-run");
	await see(() => !document.querySelector("#run").disabled && document.querySelector("#picture").children.length);
	must(await page.evaluate(() => window.hacked === undefined && !document.querySelector("#picture svg, #picture script")), "markup was taken for markup");
});
await act("licences and the version are in the page", async () => { await tab("about"); must((await text("#licences")).includes("@codemirror/view") && /ptxi \d/.test(await text("#version")), "missing"); await shot("20-about"); });
await act("nothing was asked of a network, and no error was logged", async () => {
	const outside = requests.filter((r) => !/^(file:|blob:|data:)/.test(r));
	must(!outside.length, outside.join(", "));
	must(!problems.length, problems.join(" | "));
});

await browser.close();
console.log(`actions: ${actions - failed} of ${actions}, screenshots in ${folder}`);
process.exit(failed || actions < 60 ? 1 : 0);
