/* Clusters: which shapes a launch may have. */
#include "interp/state/cluster.h"

static bool cluster_fails(struct machine *m, const struct machine_launch *l, const char *text)
{
	diag_report(m->findings, DIAG_F0112, l->source, l->span, "%s", text);
	return false;
}

bool cluster_shape(struct machine *m, struct machine_launch *l, const struct ir_func *f)
{
	struct arena *a = &m->findings->arena;
	const uint32_t *r = f->reqnctapercluster;
	uint64_t n = 1;

	if (r[0] && !l->cluster[0])
		for (unsigned k = 0; k < 3; k++)
			l->cluster[k] = r[k] ? r[k] : 1;
	if (!l->cluster[0])
		return true;
	for (unsigned k = 0; k < 3; k++) {
		if (!l->cluster[k])
			l->cluster[k] = 1;
		if (r[0] && l->cluster[k] != (r[k] ? r[k] : 1))
			return cluster_fails(m, l,
				arena_printf(a,
					"the kernel has .reqnctapercluster %u, %u, %u, but the launch has clusters of %u x %u x %u",
					r[0], r[1] ? r[1] : 1, r[2] ? r[2] : 1, l->cluster[0],
					l->cluster[1], l->cluster[2]));
		n *= l->cluster[k] <= CLUSTER_MAX ? l->cluster[k] : CLUSTER_MAX + 1;
	}
	if (n > CLUSTER_MAX)
		return cluster_fails(m, l,
			arena_printf(a, "a cluster of %u x %u x %u CTAs; the maximum is %d",
				l->cluster[0], l->cluster[1], l->cluster[2], CLUSTER_MAX));
	if (f->maxclusterrank && n > f->maxclusterrank)
		return cluster_fails(m, l,
			arena_printf(a,
				"the kernel has .maxclusterrank %u, but the launch has clusters of %u CTAs",
				f->maxclusterrank, (unsigned)n));
	for (unsigned k = 0; k < 3; k++) {
		if (f->blocksareclusters) /* the grid was given in clusters */
			l->grid[k] = l->grid[k] > UINT32_MAX / l->cluster[k]
				? UINT32_MAX
				: l->grid[k] * l->cluster[k];
		else if (l->grid[k] % l->cluster[k])
			return cluster_fails(m, l,
				arena_printf(a,
					"grid dimension %c is %u, which is not a multiple of the cluster's %u",
					"xyz"[k], l -> grid[k], l -> cluster[k]));
	}
	return true;
}
