// The editor: CodeMirror with PTX's colours, which come from the grammar that ptxi generates from its table, and with findings below the lines.
import {defaultKeymap, history, historyKeymap} from "@codemirror/commands";
import {HighlightStyle, StreamLanguage, syntaxHighlighting} from "@codemirror/language";
import {lintGutter, lintKeymap, setDiagnostics} from "@codemirror/lint";
import {highlightSelectionMatches, searchKeymap} from "@codemirror/search";
import {EditorState, StateEffect, StateField} from "@codemirror/state";
import {Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers} from "@codemirror/view";
import {tags} from "@lezer/highlight";

// From the scopes of the grammar to the names of CodeMirror's tags.
const KINDS = [["meta.script", "meta"], ["comment", "comment"], ["string", "string"], ["entity.name.label", "labelName"], ["variable.language", "variableName"],
	["keyword.mnemonic", "keyword"], ["storage.type", "typeName"], ["storage.modifier", "modifier"], ["keyword.control", "modifier"], ["support", "modifier"], ["constant.numeric", "number"]];
const style = HighlightStyle.define(["meta", "comment", "string", "labelName", "keyword", "typeName", "modifier", "number"].map((name) => ({tag: tags[name], class: "tok-" + name}))
	.concat({tag: tags.variableName, class: "tok-register"}));

export function language(grammar) {
	const kind = (rule) => (KINDS.find(([scope]) => rule.name.startsWith(scope)) || [])[1] || null;
	const rules = grammar.patterns.filter((rule) => rule.match).map((rule) => ({pattern: new RegExp(rule.match, "y"), kind: kind(rule)}));
	return StreamLanguage.define({
		name: "ptx",
		startState: () => ({block: false}),
		token(stream, state) {
			if (state.block || stream.match("/*")) {
				const end = stream.string.indexOf("*/", stream.pos);
				state.block = end < 0;
				if (state.block) stream.skipToEnd(); else stream.pos = end + 2;
				return "comment";
			}
			if (stream.eatSpace() && !stream.sol() && stream.eol()) return null;
			for (const rule of rules) {
				rule.pattern.lastIndex = stream.pos;
				const found = rule.pattern.exec(stream.string);
				if (!found || !found[0].length) continue;
				stream.pos += found[0].length;
				return rule.kind;
			}
			if (!stream.match(/^[\w$%]+/)) stream.next();
			return null;
		},
	});
}

const setStep = StateEffect.define();
const stepField = StateField.define({
	create: () => Decoration.none,
	update(marks, tr) {
		marks = marks.map(tr.changes);
		for (const effect of tr.effects)
			if (effect.is(setStep))
				marks = effect.value === null ? Decoration.none : Decoration.set([Decoration.line({class: "cm-step"}).range(effect.value)]);
		return marks;
	},
	provide: (field) => EditorView.decorations.from(field),
});

const encoder = new TextEncoder();

// The position in the document of a line and a column that counts bytes from 1.
function position(doc, line, column) {
	if (line < 1 || line > doc.lines) return doc.length;
	const at = doc.line(line);
	let bytes = 1, k = 0;
	for (const c of at.text) {
		if (bytes >= column) break;
		bytes += encoder.encode(c).length;
		k += c.length;
	}
	return at.from + Math.min(k, at.length);
}

export class Editor {
	constructor(parent, grammar, keys, changed) {
		this.view = new EditorView({parent, state: EditorState.create({doc: "", extensions: [
			keymap.of(keys), lineNumbers(), lintGutter(), history(), drawSelection(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), stepField,
			EditorState.tabSize.of(8), language(grammar), syntaxHighlighting(style), keymap.of([...searchKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
			EditorView.contentAttributes.of({"aria-label": "PTX program; Tab leaves the editor", spellcheck: "false", autocorrect: "off", autocapitalize: "off"}),
			EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
		]})});
	}
	get text() { return this.view.state.doc.toString(); }
	set text(text) {
		this.view.dispatch({changes: {from: 0, to: this.view.state.doc.length, insert: text}, selection: {anchor: 0}, effects: [setStep.of(null), EditorView.scrollIntoView(0)]});
	}
	// Findings as check --format=json has them, of the file in the editor.
	findings(list, explain) {
		const doc = this.view.state.doc, marks = [];
		for (const finding of list)
			finding.places.forEach((place, k) => {
				if (place.line < 1 || place.line > doc.lines || place.elsewhere) return;
				const from = position(doc, place.line, place.column), to = Math.max(from, position(doc, place.line, place.column + Math.max(place.length, 1)));
				const text = k === 0 ? finding.message + (finding.help ? "\n\nhelp: " + finding.help : "") : place.text + ": " + finding.message;
				marks.push({from, to: Math.max(to, Math.min(from + 1, doc.line(place.line).to)), severity: k ? "info" : finding.kind === "warning" ? "warning" : "error",
					source: finding.code, message: text, actions: k ? [] : [{name: "Explain " + finding.code, apply: () => explain(finding.code)}]});
			});
		this.view.dispatch(setDiagnostics(this.view.state, marks.sort((a, b) => a.from - b.from)));
	}
	// Marks the line of a step, or none.
	step(line) {
		const doc = this.view.state.doc;
		const at = line >= 1 && line <= doc.lines ? doc.line(line).from : null;
		this.view.dispatch({effects: at === null ? [setStep.of(null)] : [setStep.of(at), EditorView.scrollIntoView(at, {y: "nearest", yMargin: 60})]});
	}
	go(line, column) {
		const at = position(this.view.state.doc, line, column);
		this.view.dispatch({selection: {anchor: at}, effects: EditorView.scrollIntoView(at, {y: "center"})});
		this.view.focus();
	}
}
