#!/bin/sh
# The extension for VS Code, editors/vscode: the grammar is what the table of instructions gives; what package.json names exists and fits together; the problem matcher reads what
# ptxi prints; extension.js runs under node with a stand-in for VS Code, and its tasks are commands that work. With "write" the grammar is written anew. PTXI is the program.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
case $ptxi in /*) ;; *) ptxi=$PWD/$ptxi ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0

"$ptxi" --generate vscode >"$dir/grammar"
[ "$1" = write ] && cp "$dir/grammar" editors/vscode/ptx.tmLanguage.json
cmp -s "$dir/grammar" editors/vscode/ptx.tmLanguage.json || { echo "vscode: editors/vscode/ptx.tmLanguage.json is not what 'ptxi --generate vscode' prints ('sh tests/oracle/vscode.sh write')"; bad=1; }

if command -v python3 >/dev/null; then
	python3 -B - "$ptxi" "$dir" <<'PYTHON' || bad=1
import json, os, re, subprocess, sys
ptxi, folder, here = sys.argv[1], sys.argv[2], "editors/vscode/"
bad = 0

def expect(ok, what):
    global bad
    if not ok:
        bad = 1
        print("vscode:", what)

package, grammar, language = (json.load(open(here + name)) for name in ("package.json", "ptx.tmLanguage.json", "language-configuration.json"))
version = re.search(r'#define PTXI_VERSION "(.*)"', open("include/ptxi/ptxi.h").read())[1]
expect(package["version"] == version and "ptxi.ptx-" + version in open(here + "README.md").read(), "another version than " + version)
for name in "name", "publisher", "engines", "main", "description", "license":
    expect(name in package, "package.json lacks " + name)
expect(re.fullmatch(r"[a-z0-9][a-z0-9-]*", package["name"]) and re.fullmatch(r"\^\d+\.\d+\.\d+", package["engines"]["vscode"]), "the name or the version of VS Code")
has = package["contributes"]
for path in [package["main"]] + [x["path"] for x in has["grammars"]] + [x["configuration"] for x in has["languages"]]:
    expect(path.startswith("./") and os.path.exists(here + path), path + " is not there")
languages = {x["id"] for x in has["languages"]}
expect(all(g["scopeName"] == grammar["scopeName"] and g["language"] in languages for g in has["grammars"]), "the grammar's scope or language")
debugger, task = has["debuggers"][0], has["taskDefinitions"][0]
expect({x["language"] for x in has["breakpoints"]} >= languages and set(debugger["languages"]) == languages, "languages of the debugger")
expect([debugger["runtime"]] + debugger["runtimeArgs"][:2] == ["ptxi", "debug", "--dap"], "the debugger's command")
attributes = debugger["configurationAttributes"]["launch"]
source = open("debug/dap.c").read() + open(here + "extension.js").read()
expect(all(a in attributes["properties"] for a in attributes["required"]) and all('"%s"' % a in source or "configuration." + a in source for a in attributes["properties"]), "an attribute of launch that nobody reads")
for configuration in debugger["initialConfigurations"] + [s["body"] for s in debugger["configurationSnippets"]]:
    expect(configuration["type"] == debugger["type"] and configuration["request"] == "launch" and set(configuration) - {"type", "request", "name"} <= set(attributes["properties"]), "a configuration")
expect(set(package["activationEvents"]) == {"onLanguage:ptx", "onDebug", "onTaskType:" + task["type"]}, "activation events")
for setting, about in has["configuration"]["properties"].items():
    expect("get('%s')" % setting.split(".")[1] in source and about["description"], setting + " is not read")
shown = subprocess.run([ptxi, "--help"], stdout=subprocess.PIPE).stdout.decode()
expect(all(re.search(r"^  %s " % c, shown, re.M) for c in task["properties"]["command"]["enum"]), "a task for a command that ptxi lacks")
for pattern in [language["wordPattern"]] + list(language["indentationRules"].values()):
    re.compile(pattern)
expect(re.findall(language["wordPattern"], "ld.global.u32 %r1, [%rd2+4];") == ["ld", ".global", ".u32", "%r1", "%rd2", "4"], "words")

# the problem matcher, on what is printed about a file with an error, a warning and a race
pattern, matcher = has["problemPatterns"][0], has["problemMatchers"][0]
expect(matcher["pattern"] == "$" + pattern["name"] and "'$%s'" % matcher["name"] in source, "the name of the problem matcher")
wrong = os.path.join(folder, "wrong.ptx")
with open(wrong, "w") as f:
    f.write(open("tests/ptx/course/scan.ptx").read().replace("add.u64", "add.u65"))
for file, options, code, severity in (("tests/debug/lost_update.ptx", ["--check=all"], "R0101", "error"), (wrong, [], "E0103", "error")):
    p = subprocess.run([ptxi, "run", "-q", *options, file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = [re.search(pattern["regexp"], line) for line in p.stdout.decode().splitlines()]
    found = [m for m in found if m]
    expect(any(m[pattern["code"]] == code and m[pattern["severity"]] == severity and m[pattern["file"]] == file and int(m[pattern["line"]]) > 1 and int(m[pattern["column"]]) > 0 and len(m[pattern["message"]]) > 5 for m in found), "%s: no problem %s is found" % (file, code))
sys.exit(bad)
PYTHON
else
	echo "SKIP vscode: package.json: python3 is needed"
fi

if command -v node >/dev/null; then
	mkdir "$dir/node_modules" "$dir/class"
	cp editors/vscode/extension.js "$dir/extension.js"
	cp tests/ptx/course/scan.ptx "$dir/class/scan.ptx"
	cat >"$dir/node_modules/vscode.js" <<'END'
const registered = {}, settings = { path: process.env.PTXI_PATH, suite: '' }, said = [];
class Plain { constructor(...args) { this.args = args; } }
module.exports = {
  registered, settings, said,
  workspace: { getConfiguration: () => ({ get: (name) => settings[name] }) },
  window: { activeTextEditor: { document: { languageId: 'ptx' } }, showErrorMessage: (m) => said.push(m) },
  debug: { registerDebugAdapterDescriptorFactory: (t, f) => (registered.adapter = f), registerDebugConfigurationProvider: (t, f) => (registered.configurations = f) },
  tasks: { registerTaskProvider: (t, f) => (registered.tasks = f) },
  languages: { registerEvaluatableExpressionProvider: (t, f) => (registered.hover = f) },
  DebugAdapterExecutable: Plain, ShellExecution: Plain, EvaluatableExpression: Plain,
  Task: class { constructor(definition, scope, name, source, execution, matcher) { Object.assign(this, { definition, scope, name, source, execution, matcher }); } },
  TaskGroup: { Build: 'build' }, TaskScope: { Workspace: 1 },
};
END
	cat >"$dir/test.js" <<'END'
const { spawnSync } = require('child_process'), vscode = require('vscode'), folder = process.cwd() + '/class';
let bad = 0;
const expect = (ok, what, got) => { if (!ok) { bad = 1; console.log('vscode: extension.js:', what, JSON.stringify(got)); } };
const context = { subscriptions: [] };
require('./extension.js').activate(context);
const { adapter, configurations, tasks, hover } = vscode.registered;
expect(context.subscriptions.length === 4, 'four things are registered', context);
const options = adapter.createDebugAdapterDescriptor({ configuration: { options: ['--memory=weak'] } }).args;
expect(options[0] === vscode.settings.path && options[1].join(' ') === 'debug --dap --memory=weak', 'the options of a configuration', options);
const [path, words] = adapter.createDebugAdapterDescriptor({ configuration: {} }).args;
expect(words.join(' ') === 'debug --dap --check=all' && vscode.said.length === 0, 'the adapter', words);
const body = '{"seq": 1, "type": "request", "command": "initialize", "arguments": {}}';
const spoken = spawnSync(path, words, { input: `Content-Length: ${body.length}\r\n\r\n${body}` });
expect(spoken.status === 0 && String(spoken.stdout).includes('"supportsStepBack": true'), 'the adapter speaks', String(spoken.stdout));
vscode.settings.path = '/nowhere/ptxi';
adapter.createDebugAdapterDescriptor({ configuration: {} });
expect(vscode.said.length === 1 && vscode.said[0].includes('ptxi.path'), 'a program that is not there', vscode.said);
vscode.settings.path = path;
expect(configurations.resolveDebugConfiguration(null, {}).program === '${file}', 'F5 without a launch.json');
expect(configurations.resolveDebugConfiguration(null, { type: 'ptxi', program: 'x' }).program === 'x', 'F5 with one');
vscode.window.activeTextEditor = undefined;
expect(configurations.resolveDebugConfiguration(null, {}) === undefined, 'F5 without a file');
expect(tasks.provideTasks().map((t) => t.name).join(' ') === 'check run explore', 'tasks without a suite');
vscode.settings.suite = process.argv[2];
const given = tasks.provideTasks();
expect(given.map((t) => t.name).join(' ') === 'check run explore grade' && given[0].group === 'build' && given.every((t) => t.matcher === '$ptxi'), 'tasks', given);
const variables = (w) => w.replace('${fileDirname}', folder).replace('${file}', folder + '/scan.ptx');
for (const t of given) {
  const [program, args] = tasks.resolveTask(t).execution.args, p = spawnSync(program, args.map(variables));
  expect(p.status !== 2 && p.status !== 70 && p.stdout.length > 0 && (t.name === 'explore' || p.status === 0), 'the task ' + t.name, [args, p.status, String(p.stderr)]);
}
const asked = [];
hover.provideEvaluatableExpression({ getWordRangeAtPosition: (p, r) => (asked.push(r), 'range') }, 0);
const name = (text) => text.match(asked[0])[0];
expect(name('%r1, 5') === '%r1' && name('%v.x;') === '%v.x' && name('out[3] + 1') === 'out[3]' && name('%rd1.') === '%rd1', 'names', asked);
process.exit(bad);
END
	(cd "$dir" && PTXI_PATH=$ptxi node test.js "$OLDPWD/tests/grade/week3.suite") || bad=1
else
	echo "SKIP vscode: extension.js: node is needed"
fi
[ $bad = 0 ] && echo "vscode: the extension fits together, and with ptxi"
exit $bad
