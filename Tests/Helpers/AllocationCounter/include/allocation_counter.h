// Counts what a program allocates. A program that links this takes the place of the C library's malloc for all
// that it loads, and hands every call on.
#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

// Allocations of all threads since the program began; growing one counts.
unsigned long allocation_count(void);

#endif
