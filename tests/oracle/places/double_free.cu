// Memory of the device's heap is given back twice.
//@ buffer out : s32[32]
//@ launch twice<<<1, 32>>>(out)
//@ expect clean
template <class T> struct stack {
    T item[4];
    int top;
    __device__ T pop() { return item[--top]; }
};

extern "C" __global__ void twice(int *out)
{
    stack<int> s;
    s.top = 0;
    for (int i = 0; i < 4; i++)
        s.item[s.top++] = i;
    int *p = (int *)malloc(sizeof(int));
    *p = s.pop();
    out[threadIdx.x] = *p;
    free(p);
    free(p); // wrong: F0209
}
