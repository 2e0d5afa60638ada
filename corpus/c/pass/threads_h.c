// C11's own threads, with thread-local and thread-specific values, and the functions of string.h.
//
// check: rc11 rf verified
#include <threads.h>
#include <stdatomic.h>
#include <assert.h>
#include <string.h>
#include <stdlib.h>
mtx_t m; cnd_t c; int ready; once_flag f = ONCE_FLAG_INIT; int o; tss_t k;
_Thread_local int tl = 4;
void init(void) { o++; }
int worker(void *a) { call_once(&f, init); tl++; assert(tl == 5); tss_set(k, a); assert(tss_get(k) == a); mtx_lock(&m); ready = 1; cnd_signal(&c); mtx_unlock(&m); return 7; }
int main(void) { mtx_init(&m, mtx_plain); cnd_init(&c); tss_create(&k, 0); thrd_t t; int r; thrd_create(&t, worker, &m); mtx_lock(&m); while (!ready) cnd_wait(&c, &m); mtx_unlock(&m); thrd_join(t, &r); assert(r == 7); call_once(&f, init); assert(o == 1); assert(tl == 4);
 char b[16]; strcpy(b, "ab"); strcat(b, "cd"); assert(!strcmp(b, "abcd") && strchr(b,'c')==b+2 && strstr(b,"bc")==b+1 && !strncmp(b,"abx",2) && memcmp(b,"abce",4)<0 && atoi("-12")==-12); return 0; }
