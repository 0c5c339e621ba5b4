/* The layout of packed types, one row a type. See element.h. */
#include "arith/element.h"

struct elements elements_of(enum type type)
{
	switch ((int)type) {
	case TYPE_f16x2: return (struct elements){TYPE_f16, 2, 16};
	case TYPE_bf16x2: return (struct elements){TYPE_bf16, 2, 16};
	case TYPE_f32x2: return (struct elements){TYPE_f32, 2, 32};
	case TYPE_e4m3x2: return (struct elements){TYPE_e4m3, 2, 8};
	case TYPE_e5m2x2: return (struct elements){TYPE_e5m2, 2, 8};
	case TYPE_e2m1x2: return (struct elements){TYPE_e2m1, 2, 4};
	case TYPE_e2m3x2: return (struct elements){TYPE_e2m3, 2, 8};
	case TYPE_e3m2x2: return (struct elements){TYPE_e3m2, 2, 8};
	case TYPE_ue8m0x2: return (struct elements){TYPE_ue8m0, 2, 8};
	case TYPE_ue5m3x2: return (struct elements){TYPE_ue5m3, 2, 8};
	case TYPE_s2f6x2: return (struct elements){TYPE_s2f6, 2, 8};
	case TYPE_e4m3x4: return (struct elements){TYPE_e4m3, 4, 8};
	case TYPE_e5m2x4: return (struct elements){TYPE_e5m2, 4, 8};
	case TYPE_e2m1x4: return (struct elements){TYPE_e2m1, 4, 4};
	case TYPE_e2m1p4x4: return (struct elements){TYPE_e2m1, 4, 8};
	case TYPE_e2m3x4: return (struct elements){TYPE_e2m3, 4, 8};
	case TYPE_e3m2x4: return (struct elements){TYPE_e3m2, 4, 8};
	case TYPE_ue8m0x4: return (struct elements){TYPE_ue8m0, 4, 8};
	default: return (struct elements){type, 1, type_info[type].bits};
	}
}
