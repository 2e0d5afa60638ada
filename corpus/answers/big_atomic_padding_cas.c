#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
_Bool __VERIFIER_nondet_bool(void); int __VERIFIER_nondet_int(void);
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
typedef struct{char a;int b;int c;int d[4];}S;_Atomic S s;int main(void){S e=atomic_load(&s);S n;for(int i=0;i<4;i++)n.d[i]=i;n.a=1;n.b=2;n.c=3;atomic_compare_exchange_strong(&s,&e,n);e=n;S k=n;atomic_compare_exchange_strong(&s,&e,k);return 0;}