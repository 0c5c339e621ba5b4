/* What units do rarely and out of line, as text after prelude.h (native/module.mk). No include
 * guard: it is not included. */

/* Floats, of which the NaNs become canonical. */
INLINE void store_canonical(void *to, part from)
{
	float *const f = (float *)&from;

	EVERY_IN(VECTOR / 4) f[i] = f32_canonical(f[i]);
	*(part *)to = from;
}

/* s->exec for where it is hardly ever called: no register but that of the result changes, so that
 * compilers keep values in vector registers across the call. The function is in rax. */
#if VECTOR == 64
#define VECTORS \
	"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define MASKS "0,1,2,3,4,5,6,7"
#define VECTOR_SAVE "vmovdqa64 %zmm\\n,64*\\n(%rsp)"
#define VECTOR_LOAD "vmovdqa64 64*\\n(%rsp),%zmm\\n"
#define MASK_SAVE "kmovq %k\\n,64*32+8*\\n(%rsp)"
#define MASK_LOAD "kmovq 64*32+8*\\n(%rsp),%k\\n"
#define CLEAR "vzeroupper\n"
#else
#define VECTORS "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define MASKS
#define MASK_SAVE
#define MASK_LOAD
#if VECTOR == 32
#define VECTOR_SAVE "vmovdqa %ymm\\n,32*\\n(%rsp)"
#define VECTOR_LOAD "vmovdqa 32*\\n(%rsp),%ymm\\n"
#define CLEAR "vzeroupper\n"
#else
#define VECTOR_SAVE "movdqa %xmm\\n,16*\\n(%rsp)"
#define VECTOR_LOAD "movdqa 16*\\n(%rsp),%xmm\\n"
#define CLEAR
#endif
#endif
#define FOR_EACH(numbers, move) ".irp n," numbers "\n" move "\n.endr\n"
#define SAVE FOR_EACH(VECTORS, VECTOR_SAVE) FOR_EACH(MASKS, MASK_SAVE) CLEAR
#define LOAD_AGAIN FOR_EACH(VECTORS, VECTOR_LOAD) FOR_EACH(MASKS, MASK_LOAD)
__asm__(".text\n.p2align 4\nexec_keeping:\npush %rbp\nmov %rsp,%rbp\n"
	"push %rcx\npush %rdx\npush %rsi\npush %rdi\npush %r8\npush %r9\npush %r10\npush %r11\n"
	"sub $64*33,%rsp\nand $-64,%rsp\n" SAVE "call *%rax\n" LOAD_AGAIN "lea -64(%rbp),%rsp\n"
	"pop %r11\npop %r10\npop %r9\npop %r8\npop %rdi\npop %rsi\npop %rdx\npop %rcx\n"
	"pop %rbp\nret\n");
INLINE int exec_rarely(const struct native_state *s, u32 at, u32 mask)
{
	int flow;

	__asm__ volatile("call exec_keeping"
			 : "=a"(flow)
			 : "0"(s->exec), "D"(s->warp), "S"(at), "d"(mask)
			 : "memory", "cc");
	return flow;
}
