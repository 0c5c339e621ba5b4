// The worker: runs commands one after another. A page that wants to stop one ends the worker.
import factory from "ptxi-program";
import {execute} from "./program.js";

let module;

onmessage = async ({data}) => {
	if (data.module) {
		module = data.module;
		return;
	}
	try {
		postMessage({id: data.id, result: await execute({factory, module, ...data.job})});
	} catch (e) {
		postMessage({id: data.id, result: {status: 70, pieces: [{error: true, text: `ptxi: ${e}\n`}], files: {}}});
	}
};
