// A stub: any value that the device may return.
int __VERIFIER_nondet_int(void);

int read_sensor(void) { return __VERIFIER_nondet_int(); }
