// One command of ptxi: its arguments and files go in, what it prints and writes comes out. Each command has a fresh instance of the module.
//   factory: what emcc made (build/wasm/ptxi.js);  module: the WebAssembly.Module
//   args: ["run", "a.ptx"];  files: {"a.ptx": "text"};  input: standard input;  prepare(FS, NODEFS): before main;  wanted: files that are read afterwards, "folder/" is all of its files
// Returns {status, pieces: [{error, text}], files: {name: text}}.
const BUG = 70;

export async function execute({factory, module, args, files = {}, input = "", prepare, wanted = []}) {
	const pieces = [];
	const decoders = [new TextDecoder(), new TextDecoder()];
	const bytes = new Uint8Array(1 << 14);
	let used = 0, stream = 0;
	const flush = () => {
		const text = decoders[stream].decode(bytes.subarray(0, used), {stream: true});
		const last = pieces[pieces.length - 1];
		used = 0;
		if (!text) return;
		if (last && last.error === !!stream) last.text += text;
		else pieces.push({error: !!stream, text});
	};
	const writer = (which) => (byte) => {
		if (byte === null) return;
		if (which !== stream || used === bytes.length) flush();
		stream = which;
		bytes[used++] = byte;
	};
	const stdin = new TextEncoder().encode(input);
	let read = 0, status = BUG, failure = null;
	const program = await factory({
		instantiateWasm(imports, done) {
			WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
			return {};
		},
		stdin: () => (read < stdin.length ? stdin[read++] : null),
		stdout: writer(0),
		stderr: writer(1),
		quit: (code, why) => { throw why; },
		printErr: (text) => { failure = text; },
		noInitialRun: true,
	});
	const {FS} = program;
	for (const [name, text] of Object.entries(files)) {
		if (name.includes("/")) FS.mkdirTree(name.slice(0, name.lastIndexOf("/")));
		FS.writeFile(name, text);
	}
	if (prepare) prepare(FS, program.NODEFS);
	try {
		status = program.callMain(args);
	} catch (e) {
		if (e && e.name === "ExitStatus") status = e.status;
		else failure = failure || String(e);
	}
	flush();
	if (failure && status === BUG)
		pieces.push({error: true, text: `\nptxi: internal error (${failure}); please report it together with the file and the command line\n`});
	const out = {};
	const keep = (name) => {
		try { out[name] = FS.readFile(name, {encoding: "utf8"}); } catch { /* it was not written */ }
	};
	for (const name of wanted) {
		if (!name.endsWith("/")) keep(name);
		else if (FS.analyzePath(name).exists)
			for (const file of FS.readdir(name)) if (file !== "." && file !== "..") keep(name + file);
	}
	return {status, pieces, files: out};
}
