// Computed jumps: a small interpreter.
#include <assert.h>
int run(const int*c){ static void*L[]={&&a,&&b,&&e}; int x=0; goto *L[*c++]; a: x+=1; goto *L[*c++]; b: x*=3; goto *L[*c++]; e: return x; }
int main(){ int p[]={0,0,1,0,2}; assert(run(p)==7); }
