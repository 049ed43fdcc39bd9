// What is kept for each thread, in C because Swift has neither thread-local variables of its own that are cheap to read
// nor a way to those of another library.

#ifndef TANDEM_CTHREADS_H
#define TANDEM_CTHREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A file, that is the program or a library, in the dynamic linker's table; 0: none.
typedef struct {
  size_t file;
  // How many words of eight bytes it keeps for each thread.
  size_t count;
} tandem_thread_words;

// The file that holds `address`. None where it keeps no words, or on systems that we do not know how to ask.
tandem_thread_words tandem_thread_words_beside(const void *address);

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

// The dynamic linker's, for all code that does not know at its making where its thread-local variables will be: here
// the place is the number of a file and an offset into what that file keeps (ELF Handling For Thread-Local Storage).
extern void *__tls_get_addr(size_t place[2]);

// The calling thread's value of a word. Inline: some ten instructions.
static inline uintptr_t tandem_thread_word(size_t file, size_t word) {
  size_t place[2] = {file, word * sizeof(uintptr_t)};
  return *(const uintptr_t *)__tls_get_addr(place);
}

#else

static inline uintptr_t tandem_thread_word(size_t file, size_t word) {
  (void)file;
  (void)word;
  return 0;
}

#endif

// What waits on the calling thread for the object that is made there; zeros: nothing.
typedef struct {
  const void *storage;
  // The class whose turn it is; null between two.
  const void *awaited;
} tandem_adoption;

tandem_adoption tandem_current_adoption(void);
void tandem_set_current_adoption(tandem_adoption adoption);

// Whether the process can have so many threads more at the same time, 64 at most: makes them, and ends them. Returns zero or
// the system's error.
int tandem_try_threads(int count);

// Whether the process has a limit of its address space.
bool tandem_has_address_limit(void);

// Lets all threads take memory from one heap, where each would set many megabytes of addresses aside for its own. To be
// called before there is a second thread.
void tandem_share_heap(void);

// How many bytes of its stack the calling thread has left; 0 where the system does not say.
size_t tandem_stack_room(void);

#endif
