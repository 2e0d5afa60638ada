// Inline assembly of x86-64: every known instruction once, with the results that the processor gives.
#include <assert.h>
#include <stdint.h>
typedef unsigned long u64; typedef struct {u64 lo,hi;} pr;
int cas_cc(u64*p,u64 o,u64 n){ unsigned char r; __asm__ __volatile__("lock; cmpxchgq %2, %1\n\tsete %0" : "=q"(r), "+m"(*p) : "r"(n), "a"(o) : "memory","cc"); return r;}
int cas_flag(u64*p,u64*o,u64 n){ int r; __asm__ __volatile__("lock cmpxchgq %[n], %[p]" : "=@ccz"(r), [p]"+m"(*p), "+a"(*o) : [n]"r"(n) : "memory"); return r;}
int cas16(pr*p, pr*o, u64 nl, u64 nh){ char r; __asm__ __volatile__("lock cmpxchg16b %0\n setz %1":"+m"(*p),"=q"(r),"+a"(o->lo),"+d"(o->hi):"b"(nl),"c"(nh):"memory","cc"); return r;}
int dec_test(int*p){ unsigned char c; __asm__ __volatile__("lock; decl %0; sete %1":"+m"(*p),"=qm"(c)::"memory"); return c;}
void st(int*p,int v){ __asm__ __volatile__("movl %1,%0":"=m"(*p):"ir"(v):"memory"); }
int ld(int*p){ int v; __asm__ __volatile__("movl %1,%0":"=r"(v):"m"(*p)); return v;}
u64 tsc(void){ uint32_t a,d; __asm__ __volatile__("rdtsc":"=a"(a),"=d"(d)); return (u64)d<<32|a;}
int bsf(u64 x){ u64 r; __asm__("bsfq %1,%0":"=r"(r):"rm"(x)); return r;}
int bts(u64*p,u64 b){ int r; __asm__ __volatile__("lock; btsq %2,%1\n\tsbbl %0,%0":"=r"(r),"+m"(*p):"Ir"(b):"memory"); return r;}
long wake(int*p){ long r; __asm__ __volatile__("syscall":"=a"(r):"a"(202),"D"(p),"S"(1),"d"(1):"rcx","r11","memory"); return r;}
void addm(int*p,int v){ __asm__ __volatile__("lock; addl %1,%0":"+m"(*p):"ir"(v):"memory"); }
void addp(int*p,int v){ __asm__ __volatile__("lock; addl %1,(%0)"::"r"(p),"ir"(v):"memory"); }
void fence(void){ __asm__ __volatile__("lock; addl $0,0(%%rsp)":::"memory","cc"); __asm__ __volatile__("lock; addl $0,-4(%%rsp)":::"memory","cc"); __asm__ __volatile__("lock orl $0,(%%rsp)":::"memory"); }
void bar(int*p,int v){ __asm__ __volatile__(""::"r"(p),"m"(*p):"memory"); int q; __asm__("":"=r"(q):"0"(v)); __asm__ __volatile__("":"+r"(v),"+m"(*p)); *p=v+q;}
int xc(volatile char*p){ char v=1; __asm__ __volatile__("xchgb %b0,%1":"+q"(v),"+m"(*p)::"memory"); return v;}
void cpu(int l){ int a,b,c,d; __asm__ __volatile__("cpuid":"=a"(a),"=b"(b),"=c"(c),"=d"(d):"a"(l)); }
int main(){
 u64 v=5; assert(cas_cc(&v,5,7)==1 && v==7); assert(cas_cc(&v,5,9)==0 && v==7);
 u64 o=7; assert(cas_flag(&v,&o,8)==1 && v==8 && o==7); o=3; assert(cas_flag(&v,&o,9)==0 && o==8);
 static pr p __attribute__((aligned(16)))={1,2}; pr e={1,2}; assert(cas16(&p,&e,3,4)==1 && p.lo==3 && p.hi==4); e.lo=0; assert(cas16(&p,&e,5,6)==0 && e.lo==3 && e.hi==4);
 int d=2; assert(dec_test(&d)==0 && d==1); assert(dec_test(&d)==1 && d==0);
 st(&d,42); assert(ld(&d)==42); tsc(); assert(bsf(24)==3);
 u64 b[2]={0,0}; assert(bts(b,5)==0); assert(bts(b,5)==-1 && b[0]==32); assert(bts(b,70)==0 && b[1]==64);
 addm(&d,3); assert(d==45); addp(&d,-5); assert(d==40); fence(); bar(&d,1); assert(d==2);
 char c=0; assert(xc(&c)==0 && c==1); assert(xc(&c)==1); cpu(0);
 assert(wake(&d)==0);
 return 0; }
