// The list is empty.
//
// check: rc11 rf violation invalid-access 10
#include <stddef.h>

struct node { int value; struct node *next; };
static struct node *head;

int main(void) {
    return head->next != NULL;
}
