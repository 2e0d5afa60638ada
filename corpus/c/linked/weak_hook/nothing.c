// This file defines nothing: everything is behind an #ifdef.
#ifdef NEVER
int x;
#endif
