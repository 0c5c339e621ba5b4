// The link that carries a program: its name and text, deflated, in the fragment, which browsers send to nobody.
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
const LARGEST = 1 << 20;

export async function pack(name, text) {
	const bytes = await through(new TextEncoder().encode(JSON.stringify([name, text])), new CompressionStream("deflate-raw"));
	let binary = "";
	for (const byte of bytes) binary += String.fromCharCode(byte);
	return "#p=" + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// [name, text], or null if the fragment is no program.
export async function unpack(fragment) {
	if (!fragment.startsWith("#p=")) return null;
	try {
		const binary = atob(fragment.slice(3).replaceAll("-", "+").replaceAll("_", "/"));
		const stream = new Blob([Uint8Array.from(binary, (c) => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
		const parts = [];
		let size = 0;
		for (const reader = stream.getReader(); ;) {
			const {done, value} = await reader.read();
			if (done) break;
			parts.push(value);
			if ((size += value.length) > LARGEST) { reader.cancel(); return null; }
		}
		const [name, text] = JSON.parse(await new Blob(parts).text());
		return typeof name === "string" && typeof text === "string" ? [name, text] : null;
	} catch {
		return null;
	}
}
