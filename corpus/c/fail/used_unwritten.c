// check: -DUSE=if(b[1])r=1 rc11 rf violation uninitialised
// check: -DUSE=r=table[b[1]&3] rc11 rf violation uninitialised
// check: -DUSE=switch(b[1]){case(0):r=1;} rc11 rf violation uninitialised
// check: -DUSE=r=1/b[1] rc11 rf violation uninitialised
// check: -DUSE=r=b[1]>0 rc11 rf violation uninitialised
// check: -DUSE=r=b[0]+b[1]>0 rc11 rf violation uninitialised
// check: -DUSE=r=memcmp(a,b,8) rc11 rf violation uninitialised
// check: -DUSE=r=strcmp((char*)b,(char*)b) rc11 rf violation uninitialised
// check: -DUSE=r=strlen((char*)(b+1)) rc11 rf violation uninitialised
// check: -DUSE=r=memchr(b+1,0,4)!=0 rc11 rf violation uninitialised
// check: -DUSE=printf("%d",b[1]) rc11 rf violation uninitialised
// check: -DUSE=abs(b[1]) rc11 rf violation uninitialised
// check: -DUSE=r=get(b+1) rc11 rf violation uninitialised
// check: -DUSE=r=*(int*)malloc(4) rc11 rf violation uninitialised
// check: -DUSE=swap(&b[0],&b[1]);r=b[0]>0 rc11 rf violation uninitialised
// check: -DHEAP -DUSE=if(b[1])r=1 rc11 rf violation uninitialised
// check: -DHEAP -DUSE=r=memcmp(a,b,8) sc co violation uninitialised
// check: -DHEAP -DUSE=r=table[b[1]&3] tso co violation uninitialised
// What was copied unwritten is as unwritten as before, and is found where it is used.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef USE
#define USE r = b[1] > 0
#endif

int table[4];
static int get(int *p) { return *p; }
static void swap(int *a, int *b) {
    int kept = *a;
    *a = *b;
    *b = kept;
}

int main(void) {
    int r = 0;
#ifdef HEAP
    int *a = malloc(8), *b = malloc(8);
#else
    int a[2], b[2];
#endif
    a[0] = 0x01010101;
    for (int i = 0; i < 2; i++) b[i] = a[i];
    (void)get; (void)swap;
    USE;
    return r;
}
