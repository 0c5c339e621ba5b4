/* The pages of the lessons, as the build writes them into the program (module.mk). */
#ifndef PTXI_LESSONS_TEXT_H
#define PTXI_LESSONS_TEXT_H

struct lesson_page {
	const char *file, *text;
};
extern const struct lesson_page lesson_pages[];
extern const unsigned lesson_page_count;

#endif
