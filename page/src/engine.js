// Commands of ptxi, one at a time, in a worker. Stopping ends the worker, and the next command gets a new one.
export class Engine {
	#worker = null;
	#module;
	#url;
	#number = 0;
	#waiting = new Map();
	#last = Promise.resolve();

	constructor(module, source) {
		this.#module = module;
		this.#url = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
	}

	get busy() { return this.#waiting.size > 0; }

	#start() {
		this.#worker = new Worker(this.#url);
		this.#worker.onmessage = ({data}) => {
			const done = this.#waiting.get(data.id);
			this.#waiting.delete(data.id);
			if (done) done(data.result);
		};
		this.#worker.onerror = (e) => this.#end({status: 70, pieces: [{error: true, text: `ptxi: ${e.message}\n`}], files: {}});
		this.#worker.postMessage({module: this.#module});
	}

	// What execute() of program.js returns; {stopped: true} if it was ended.
	run(job) {
		const next = this.#last.then(() => new Promise((done) => {
			if (!this.#worker) this.#start();
			const id = ++this.#number;
			this.#waiting.set(id, done);
			this.#worker.postMessage({id, job});
		}));
		this.#last = next;
		return next;
	}

	#end(result) {
		this.#worker.terminate();
		this.#worker = null;
		for (const done of this.#waiting.values()) done(result);
		this.#waiting.clear();
	}

	stop() {
		if (this.busy) this.#end({stopped: true, status: 130, pieces: [], files: {}});
	}
}

export const textOf = (result) => result.pieces.map((piece) => piece.text).join("");
