#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
#include <errno.h>
_Bool __VERIFIER_nondet_bool(void);
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
atomic_int word; int main(void){ long n=syscall(SYS_futex,&word,FUTEX_WAKE,5,0,0,0); assert(n==0); return 0; }