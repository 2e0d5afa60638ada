// Memory that nothing leads to when the program ends. What `kept` points to is not leaked.
//
// check: rc11 rf violation leak 14
// options: --leaks
#include <stdlib.h>

struct list { struct list *next; };
static struct list *kept;

int main(void) {
    kept = malloc(sizeof *kept);
    kept->next = malloc(sizeof *kept);
    kept->next->next = NULL;
    struct list *lost = malloc(sizeof *lost);
    lost->next = kept;
    return 0;
}
