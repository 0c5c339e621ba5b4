// The node is read after it was freed.
//@ buffer out : s32[4]
//@ launch pop<<<1, 4>>>(out)
//@ expect clean
struct node {
    int value;
    node *next;
};

extern "C" __global__ void pop(int *out)
{
    node *head = (node *)malloc(sizeof(node));
    head->value = threadIdx.x;
    head->next = nullptr;
    node *first = head;
    head = first->next;
    free(first);
    out[threadIdx.x] = head ? 0 : ((volatile node *)first)->value; // wrong: F0207
}
