#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <time.h>
atomic_int f;int main(void){struct timespec ts={0,1000};long r=syscall(SYS_futex,&f,FUTEX_WAIT,0,&ts,0,0);assert(r==-1);return 0;}