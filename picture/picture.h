/* Pictures in SVG, drawn without any other program: one file for light and dark pages and for
 * print, of bounded size. Several drawings stand one below the other. */
#ifndef PTXI_PICTURE_PICTURE_H
#define PTXI_PICTURE_PICTURE_H
#include "base/text.h"
#include <stdbool.h>

/* A picture never has more bytes. */
enum { PICTURE_BYTES = 1000000 };

/* One drawing. Its coordinates begin at (0, 0). */
struct drawing {
	struct text svg;
	struct text title, says; /* one line; what the drawing shows, for those who cannot see it */
	int width, height;
};
void drawing_free(struct drawing *d);

/* Zero-initialise before use. */
struct picture {
	struct text body, says;
	int width, height;
	unsigned drawings, left_out; /* LEFT_OUT: drawings that did not fit */
};
/* Adds D below what P has. */
void picture_add(struct picture *p, const struct drawing *d);
/* Appends the file. TITLE: what it is a picture of. */
void picture_svg(const struct picture *p, const char *title, struct text *out);
void picture_free(struct picture *p);

#endif
