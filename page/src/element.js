// An element with attributes, handlers (on...) and children; texts are texts, never markup.
export function element(tag, attributes = {}, ...children) {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (name.startsWith("on")) made[name] = value;
		else if (value === true) made.setAttribute(name, "");
		else if (value !== false && value !== undefined) made.setAttribute(name, value);
	}
	made.append(...children);
	return made;
}
