#include "hot_path.h"

// Not empty for the compiler, so that both stay functions of their own.
__attribute__((noinline)) void hot_path_begins(void) { __asm__ volatile("# begins" ::: "memory"); }

__attribute__((noinline)) void hot_path_ends(void) { __asm__ volatile("# ends" ::: "memory"); }
