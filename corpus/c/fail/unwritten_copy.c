// A copy of a struct is as unwritten as the original: copying is no error, looking is.
//
// check: rc11 rf violation uninitialised 17
#include <stdlib.h>
#include <string.h>

struct pair { char tag; int first, second; };

int main(void) {
    struct pair *original = malloc(sizeof *original), *copy = malloc(sizeof *copy);
    original->tag = 'a';
    original->first = 1;
    struct pair local = *original;
    memcpy(copy, &local, sizeof local);
    free(original);
    int sum = copy->first;
    sum += copy->second;
    free(copy);
    return sum;
}
