#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
int g;__attribute__((destructor)) void c(void){assert(g==1);}int main(void){g=2;return 0;}