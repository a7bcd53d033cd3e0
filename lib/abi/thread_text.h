// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The text of the last failure, one for each thread that uses a context or a
/// device. A thread reads the text of its own calls, whatever other threads do.
///
/// An entry belongs to one thread and lives as long as the object. Finding it
/// takes no lock, and a call that succeeds allocates nothing. A thread that
/// ended leaves its entry to the next one with its pthread_t.
#ifndef FMHAC_THREAD_TEXT_H
#define FMHAC_THREAD_TEXT_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fmhac_thread_text {
  struct fmhac_thread_text *next;
  pthread_t thread;
  char *text; ///< owned; NULL: none
} fmhac_thread_text;

/// All zero is a table without texts that takes memory from realloc().
typedef struct fmhac_thread_texts {
  _Atomic(fmhac_thread_text *) first;
  /// As realloc(); a size of 0 frees. NULL: realloc() and free().
  void *(*reallocate)(void *user, void *bytes, size_t size);
  void *user;
} fmhac_thread_texts;

static inline void *fmhac_thread_texts_reallocate(fmhac_thread_texts *texts,
                                                  void *bytes, size_t size) {
  if (texts->reallocate)
    return bytes || size ? texts->reallocate(texts->user, bytes, size) : NULL;
  if (size)
    return realloc(bytes, size);
  free(bytes);
  return NULL;
}

/// The calling thread's entry, or NULL if it never had a text.
static inline fmhac_thread_text *
fmhac_thread_texts_find(const fmhac_thread_texts *texts) {
  pthread_t self = pthread_self();
  fmhac_thread_text *entry =
      atomic_load_explicit(&texts->first, memory_order_acquire);
  while (entry && !pthread_equal(entry->thread, self))
    entry = entry->next;
  return entry;
}

/// The calling thread's text, "" if none; borrowed until that thread sets or
/// clears it.
static inline const char *
fmhac_thread_texts_get(const fmhac_thread_texts *texts) {
  const fmhac_thread_text *entry = fmhac_thread_texts_find(texts);
  return entry && entry->text ? entry->text : "";
}

/// Empties the calling thread's text; its memory stays for the next one, as a
/// launch that clears it must not go to the allocator.
static inline void fmhac_thread_texts_clear(fmhac_thread_texts *texts) {
  fmhac_thread_text *entry = fmhac_thread_texts_find(texts);
  if (entry && entry->text)
    entry->text[0] = 0;
}

/// Sets the calling thread's text. The arguments may quote the previous one.
/// Without memory the text is lost: the thread then has none.
static inline void fmhac_thread_texts_vset(fmhac_thread_texts *texts,
                                           const char *format,
                                           va_list arguments)
    __attribute__((format(printf, 2, 0)));
static inline void fmhac_thread_texts_vset(fmhac_thread_texts *texts,
                                           const char *format,
                                           va_list arguments) {
  fmhac_thread_text *entry = fmhac_thread_texts_find(texts);
  if (!entry) {
    entry = (fmhac_thread_text *)fmhac_thread_texts_reallocate(texts, NULL,
                                                               sizeof *entry);
    if (!entry)
      return;
    *entry = (fmhac_thread_text){.thread = pthread_self()};
    entry->next = atomic_load_explicit(&texts->first, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&texts->first, &entry->next,
                                                  entry, memory_order_release,
                                                  memory_order_relaxed)) {
    }
  }
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  size_t bytes = length < 0 ? 1 : (size_t)length + 1;
  char *text = (char *)fmhac_thread_texts_reallocate(texts, NULL, bytes);
  if (text) {
    text[0] = 0;
    vsnprintf(text, bytes, format, arguments);
  }
  // Freed only now: the arguments may quote it.
  fmhac_thread_texts_reallocate(texts, entry->text, 0);
  entry->text = text;
}

/// Frees every thread's text. No other thread may use the table meanwhile.
static inline void fmhac_thread_texts_deinit(fmhac_thread_texts *texts) {
  fmhac_thread_text *entry = atomic_load(&texts->first);
  atomic_store(&texts->first, NULL);
  while (entry) {
    fmhac_thread_text *next = entry->next;
    fmhac_thread_texts_reallocate(texts, entry->text, 0);
    fmhac_thread_texts_reallocate(texts, entry, 0);
    entry = next;
  }
}

#endif // FMHAC_THREAD_TEXT_H
