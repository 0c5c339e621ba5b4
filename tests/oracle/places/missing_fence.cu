// The flag is set before the data is known to the other CTA.
//@ buffer data : s32[1] = 0
//@ buffer flag : s32[1] = 0
//@ buffer out : s32[1]
//@ launch pass<<<2, 1>>>(data, flag, out)
//@ expect clean
extern "C" __global__ void pass(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *data = 42;
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        *out = *data; // wrong: R0101
    }
}
