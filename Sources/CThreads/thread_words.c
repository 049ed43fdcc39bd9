// For dl_iterate_phdr.
#define _GNU_SOURCE
#include "CThreads.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <link.h>

struct search {
  uintptr_t address;
  tandem_thread_words found;
};

static int look(struct dl_phdr_info *file, size_t size, void *context) {
  struct search *search = context;
  // Older C libraries give no number.
  if (size < offsetof(struct dl_phdr_info, dlpi_tls_data)) return 1;
  size_t byte_count = 0;
  int is_it = 0;
  for (int i = 0; i < file->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &file->dlpi_phdr[i];
    if (part->p_type == PT_TLS) byte_count = part->p_memsz;
    // Below the part's start the difference wraps around, beyond any size.
    if (part->p_type == PT_LOAD && search->address - file->dlpi_addr - part->p_vaddr < part->p_memsz) is_it = 1;
  }
  if (!is_it) return 0;
  search->found.file = file->dlpi_tls_modid;
  search->found.count = byte_count / sizeof(uintptr_t);
  return 1;
}

tandem_thread_words tandem_thread_words_beside(const void *address) {
  struct search search = {(uintptr_t)address, {0, 0}};
  dl_iterate_phdr(look, &search);
  if (search.found.file == 0) search.found.count = 0;
  return search.found;
}

#else

tandem_thread_words tandem_thread_words_beside(const void *address) {
  (void)address;
  return (tandem_thread_words){0, 0};
}

#endif

static _Thread_local tandem_adoption current_adoption;

tandem_adoption tandem_current_adoption(void) { return current_adoption; }
void tandem_set_current_adoption(tandem_adoption adoption) { current_adoption = adoption; }
