int chosen(void) { return 10; }
int hook(int x) { return x + 1; }
int counter = 5;
int value = 30;
int named(void) { return 40; }
