// What a process of the benchmarks asks of the system about itself.
#ifndef PROCESS_H
#define PROCESS_H

// The process is killed when the thread ends that started it, however that comes to its end. Elsewhere than on Linux:
// nothing.
void process_ends_with_parent(void);
// Every line of standard output is written when it is complete, also where that is no terminal.
void process_prints_by_line(void);
// Seconds from the start of a program to its end. Its arguments are lines; what it prints on standard output goes
// nowhere. Negative where it cannot be started, and where it does not end with 0.
double process_run(const char *_Nonnull program, const char *_Nonnull arguments);
// How many pages of a file the system holds in memory; negative where it does not tell.
long process_pages_in_memory(const char *_Nonnull path);

#endif
