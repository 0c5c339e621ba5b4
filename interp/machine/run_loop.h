/* The execution loop. Included four times: for unobserved runs (RUN_NAME run_plain), for runs
 * with instruction observers, and for weak memory (RUN_BEFORE is called before each op and
 * returns the lanes that execute it; RUN_LEAVES says whether the group must not execute it now);
 * and for what translated code leaves to it (RUN_RESUMES: engine.c). No include guard.
 *
 * A straight run extends from its first op to a taken branch or to a stop: the end of the
 * quantum, or the place where other lanes wait for this group. Counting and scheduling decisions
 * are made once per straight run, so that an op costs its kernel, its operands' addresses and
 * one comparison. */

#ifdef RUN_RESUMES
static enum flow RUN_NAME(struct warp *w, uint32_t *budget, uint32_t start, bool *jumped)
#else
enum flow RUN_NAME(struct warp *w, uint32_t *budget)
#endif
{
	struct worker *k = w->worker;
	struct group *g = &w->group[w->current];
	const struct code_func *code = g->frame->code;
	const struct op *const ops = code->op;
	unsigned char *const bank[2] = {w->bank[0], w->bank[1]};
	const uint32_t active = w->active, watch = w->watch;
#ifndef RUN_BEFORE
	const uint32_t idle = warp_idle(w);
#else
	const uint32_t idle = 0;
#endif
	const unsigned lanes = (unsigned)__builtin_popcount(active);
	uint32_t left = *budget, pc = g->pc;
#ifdef RUN_RESUMES
	const struct op *const from = ops + pc;

	pc = start;
#endif

	for (;;) {
		const struct op *op = ops + pc;
		uint32_t room = code->nops - pc, run = room < left ? room : left;

		if (watch > pc && watch - pc < run)
			run = watch - pc;
		const struct op *const stop = op + run;

		w->run_pc = pc;
#ifdef RUN_RESUMES
		op = from;
		if (op == stop)
			goto straight;
#endif
		do {
			uint32_t mask = active &
				(*(const uint32_t *)(const void *)(bank[op->guard & 1u] +
					 (op->guard & ~1u)) ^
					op->guard_xor);

#ifdef RUN_LEAVES
			if (RUN_LEAVES(w, op, mask)) {
				uint32_t at = (uint32_t)(op - ops);

				worker_count(k, code, pc, at, lanes);
				g->pc = at;
				*budget = left - (at - pc);
				return FLOW_SWITCH;
			}
#endif
#ifdef RUN_BEFORE
			mask = RUN_BEFORE(w, op, active, mask);
#endif
			if (mask == 0)
				continue;
			if (op->kind == KIND_ALU) {
				void *v[OP_MAX_OPERANDS];

				v[0] = bank[op->at[0] & 1u] + (op->at[0] & ~1u);
				v[1] = bank[op->at[1] & 1u] + (op->at[1] & ~1u);
				v[2] = bank[op->at[2] & 1u] + (op->at[2] & ~1u);
				v[3] = bank[op->at[3] & 1u] + (op->at[3] & ~1u);
				for (unsigned i = 4; i < op->noperands; i++)
					v[i] = bank[op->at[i] & 1u] + (op->at[i] & ~1u);
				op->run.kernel(v, mask | idle);
			} else if (op->kind == KIND_BRANCH) {
				uint32_t at = (uint32_t)(op - ops);

				worker_count(k, code, pc, at + 1, lanes);
				left -= at + 1 - pc;
				if (mask != active) {
					*budget = left;
					k->stats.divergent_branches++;
					warp_branch(w, op, mask);
					return FLOW_SWITCH;
				}
				pc = op->branch.target;
				goto jumped;
			} else {
				enum flow flow = op->run.exec(w, op, mask);

				if (flow != FLOW_NEXT) {
					uint32_t at = (uint32_t)(op - ops);

					worker_count(k, code, pc, at + 1, lanes);
					*budget = left - (at + 1 - pc);
					return flow;
				}
			}
		} while (++op != stop);
#ifdef RUN_RESUMES
	straight:
#endif
		worker_count(k, code, pc, pc + run, lanes);
		g->pc = pc + run;
		*budget = left - run;
		return FLOW_NEXT;
	jumped:
		/* Past the place of another group, out of instructions, or at a backward branch
		 * after polling without effect: the scheduler decides. */
		if (left == 0 || pc >= watch ||
			(pc <= w->run_pc && (w->turn || (w->polled && !w->effect)))) {
			g->pc = pc;
			*budget = left;
			return FLOW_NEXT;
		}
		if (w->polled && pc <= w->run_pc) {
			w->made_effect = 1;
			w->polled = w->effect = 0;
		}
#ifdef RUN_RESUMES
		*jumped = true;
		g->pc = pc;
		*budget = left;
		return FLOW_NEXT;
#endif
	}
}
