/* The SVG file around its drawings: size, title, description, and the style sheet with its three
 * schemes. Every meaning has a shape or a line pattern beside its colour; in print everything is
 * black on white. Viewers that know no schemes show the light one. */
#include "picture/picture.h"
#include "base/memory.h"
#include "picture/draw.h"
#include <string.h>

/* Lines of edges. Those of the graph's kinds (graph.c) and of the time line (chart.c). */
static const char shapes[] =
	"text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;fill:#1f2328}\n"
	".s{font-size:10px}.t{font-size:15px;font-weight:bold}.b{font-weight:bold}.m{text-anchor:middle}.e{text-anchor:end}\n"
	".o{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}\n"
	"path,rect,circle{fill:none;stroke:#1f2328;stroke-width:1}\n"
	".paper{fill:#fff;stroke:none}.box{fill:#f6f8fa;stroke:#57606a}.head{fill:#eaeef2;stroke:#57606a}\n"
	".life,.po,.issues{stroke:#57606a}.life{stroke-width:2}.rf,.arrive{stroke:#116329;stroke-width:1.5}\n"
	".co,.phase{stroke:#0550ae;stroke-width:1.5;stroke-dasharray:7 4}.fr{stroke:#953800;stroke-width:1.5;stroke-dasharray:2 3}\n"
	".sync{stroke:#6639ba;stroke-width:2;stroke-dasharray:10 3 2 3}.phase{stroke-width:2;stroke-dasharray:none}\n"
	".cause{stroke:#57606a;stroke-dasharray:1 4}.issues{stroke-dasharray:4 2}\n"
	".go{stroke:#0550ae;stroke-width:1.5;stroke-dasharray:5 3}.copy{stroke:#953800;stroke-width:1.5}\n"
	".bad,.join{stroke:#c1121f;stroke-width:2.5;stroke-dasharray:none}.join{stroke-dasharray:6 4}\n"
	".wait{fill:url(#w);stroke:#57606a}.stuck{fill:url(#x);stroke:#c1121f;stroke-width:2}\n"
	".even{fill:#ddf4ff;stroke:#0550ae}.odd{fill:url(#d);stroke:#0550ae}.flight{fill:url(#f);stroke:#953800}\n"
	".fence{fill:#fbefff;stroke:#6639ba;stroke-width:2}.atom{fill:#dafbe1;stroke:#116329}.fault{fill:#ffebe9;stroke:#c1121f;stroke-width:2.5}\n"
	".dot{fill:#c1121f;stroke:none}.n{fill:#fff;font-weight:bold}.u{fill:#57606a}.r{fill:#c1121f}\n"
	"marker path{stroke:none;fill:#57606a}.h1{fill:#116329}.h2{fill:#0550ae}.h3{fill:#953800}.h4{fill:#6639ba}.h5{fill:#c1121f}\n"
	"marker .h1{fill:#116329}marker .h2{fill:#0550ae}marker .h3{fill:#953800}marker .h4{fill:#6639ba}marker .h5{fill:#c1121f}\n"
	".po,.issues,.cause{marker-end:url(#a0)}.rf,.arrive{marker-end:url(#a1)}.co,.go{marker-end:url(#a2)}.fr,.copy{marker-end:url(#a3)}.sync{marker-end:url(#a4)}.bad{marker-end:url(#a5)}\n"
	".plain{marker-end:none}pattern path{stroke:#8c959f;stroke-width:1.5}#x path{stroke:#c1121f}#d path{stroke:#54aeff}#f path{stroke:#bc4c00}\n";

static const char dark[] =
	"@media(prefers-color-scheme:dark){text{fill:#e6edf3}.o{stroke:#0d1117}path,rect,circle{stroke:#e6edf3}\n"
	".paper{fill:#0d1117;stroke:none}.box{fill:#161b22;stroke:#9198a1}.head{fill:#262c36;stroke:#9198a1}\n"
	".life,.po,.issues,.cause{stroke:#9198a1}.rf,.arrive{stroke:#7ee787}.co,.phase,.go{stroke:#79c0ff}.fr,.copy{stroke:#ffa657}.sync{stroke:#d2a8ff}\n"
	".bad,.join{stroke:#ff7b72}.wait{fill:url(#w);stroke:#9198a1}.stuck{fill:url(#x);stroke:#ff7b72}\n"
	".even{fill:#0c2d6b;stroke:#79c0ff}.odd{fill:url(#d);stroke:#79c0ff}.flight{fill:url(#f);stroke:#ffa657}\n"
	".fence{fill:#271052;stroke:#d2a8ff}.atom{fill:#04260f;stroke:#7ee787}.fault{fill:#490202;stroke:#ff7b72}\n"
	".dot{fill:#ff7b72;stroke:none}.n{fill:#0d1117}.u{fill:#9198a1}.r{fill:#ff7b72}\n"
	"marker path{stroke:none;fill:#9198a1}marker .h1{fill:#7ee787}marker .h2{fill:#79c0ff}marker .h3{fill:#ffa657}marker .h4{fill:#d2a8ff}marker .h5{fill:#ff7b72}\n"
	"pattern path{stroke:#6e7681}#x path{stroke:#ff7b72}#d path{stroke:#388bfd}#f path{stroke:#f0883e}}\n";

static const char print[] =
	"@media print{text{fill:#000}.o{stroke:#fff}path,rect,circle,.life,.po,.rf,.arrive,.co,.fr,.sync,.cause,.issues,.go,.copy,.phase,.bad,.join,.fence,.atom,.fault,.stuck{stroke:#000}\n"
	".paper{fill:#fff;stroke:none}.box,.fence,.atom,.fault,.even{fill:#fff;stroke:#000}.head{fill:#fff;stroke:#000;stroke-width:2}\n"
	".wait,.odd,.flight{stroke:#000}.bad{stroke-width:3.5}.fault,.stuck{stroke-width:3}.dot{fill:#000;stroke:none}.n{fill:#fff}.u,.r{fill:#000}\n"
	"marker path,marker .h1,marker .h2,marker .h3,marker .h4,marker .h5{stroke:none;fill:#000}pattern path,#x path,#d path,#f path{stroke:#000;stroke-width:.7}}\n";

static const char definitions[] =
	"<pattern id=\"w\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 6L6 0\"/></pattern>\n"
	"<pattern id=\"x\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 7L7 0M0 0L7 7\"/></pattern>\n"
	"<pattern id=\"d\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 3H6\"/></pattern>\n"
	"<pattern id=\"f\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0L6 6\"/></pattern>\n";

enum { MARGIN = 16, GAP = 28, HEADS = 6, ROOM = 20000 };

void drawing_free(struct drawing *d)
{
	text_free(&d->svg);
	text_free(&d->title);
	text_free(&d->says);
}

void picture_add(struct picture *p, const struct drawing *d)
{
	/* the frame of the file, and its description */
	if (p->body.len + d->svg.len + p->says.len + d->says.len + d->title.len >
		PICTURE_BYTES - ROOM) {
		p->left_out++;
		return;
	}
	if (p->drawings++)
		p->height += GAP;
	text_printf(&p->body, "<g transform=\"translate(%d %d)\">\n", MARGIN, MARGIN + p->height);
	text_add(&p->body, text_str(&d->svg), d->svg.len);
	text_puts(&p->body, "</g>\n");
	text_printf(&p->says, "%s%s. %s", p->says.len ? " " : "", text_str(&d->title),
		text_str(&d->says));
	p->height += d->height;
	if (d->width > p->width)
		p->width = d->width;
}

void picture_svg(const struct picture *p, const char *title, struct text *out)
{
	enum { TITLE = 200, SAYS = 4000, LEAST = 420 };
	int width = (p->width > LEAST ? p->width : LEAST) + 2 * MARGIN,
	    height = p->height + 2 * MARGIN + (p->left_out || !p->drawings ? DRAW_LINE : 0);
	struct drawing last = {0};

	text_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
		width, height, width, height);
	draw_escaped(out, title, TITLE);
	text_puts(out, "</title>\n<desc>");
	draw_escaped(out, text_str(&p->says), SAYS);
	text_printf(out, "</desc>\n<style>\n%s%s%s</style>\n<defs>\n%s", shapes, dark, print,
		definitions);
	for (unsigned k = 0; k < HEADS; k++) { /* the last is that of wide lines */
		unsigned w = k == HEADS - 1 ? 15 : 10, h = k == HEADS - 1 ? 12 : 8;

		text_printf(out,
			"<marker id=\"a%u\" viewBox=\"0 0 10 8\" refX=\"9\" refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"%u\" markerHeight=\"%u\" orient=\"auto\"><path class=\"h%u\" d=\"M0 0L10 4L0 8z\"/></marker>\n",
			k, w, h, k);
	}
	text_printf(out, "</defs>\n<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", width,
		height);
	text_add(out, text_str(&p->body), p->body.len);
	if (!p->drawings)
		draw_text(&last, MARGIN, MARGIN + 12, "", "Nothing was executed.", 80);
	if (p->left_out) {
		struct text t = {0};

		text_printf(&t, "%u more %s not drawn: the picture would be larger than 1 MB.",
			p->left_out, p->left_out == 1 ? "case is" : "cases are");
		draw_text(&last, MARGIN, MARGIN + p->height + 12, "b", text_str(&t), 120);
		text_free(&t);
	}
	text_add(out, text_str(&last.svg), last.svg.len);
	drawing_free(&last);
	text_puts(out, "</svg>\n");
}

void picture_free(struct picture *p)
{
	text_free(&p->body);
	text_free(&p->says);
	memset(p, 0, sizeof *p);
}
