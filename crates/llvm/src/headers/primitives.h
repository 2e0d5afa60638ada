// The functions that the headers of this folder call. The checker's library defines them (runtime/waits.vm).
//
// Everything is inlined without a location of its own, so that reports show events where the program makes the call.

#ifndef ATROPOS_PRIMITIVES_H
#define ATROPOS_PRIMITIVES_H

#define ATROPOS_INLINE __attribute__((__always_inline__, __nodebug__, __artificial__)) inline

extern "C" {
// Reports that the program breaks a precondition of `call`. `SyncClass` and `MisuseReason` (event/src/misuse.rs) name
// the class of the object and the reason.
__attribute__((__noreturn__)) void __atropos_misuse(const char *call, const char *object, const char *reason) noexcept;
// Blocks the thread until its last read returns another value, unless `condition` holds.
void __atropos_await(bool condition) noexcept;
// Gives up an execution that other executions stand for.
void __atropos_abandon() noexcept;

long __atropos_begin_wait(const void *object) noexcept;
void __atropos_wait(const void *object, long number) noexcept;
void __atropos_notify_one(const void *object) noexcept;
void __atropos_notify_all(const void *object) noexcept;

void __atropos_lock(int *lock) noexcept;
void __atropos_unlock(int *lock) noexcept;

void __atropos_semaphore_acquire(long *counter) noexcept;
bool __atropos_semaphore_try_acquire(long *counter) noexcept;
// Adds a number to the counter, and returns the old one.
long __atropos_semaphore_release(long *counter, long update) noexcept;

// Subtracts a number from the counter, and returns the old one.
long __atropos_latch_count_down(long *counter, long update) noexcept;
bool __atropos_latch_try_wait(const long *counter) noexcept;
void __atropos_latch_wait(const long *counter) noexcept;
// Subtracts a number, which is not zero, from the counter, and waits until it is zero.
void __atropos_latch_meet(long *counter, long update) noexcept;

// Subtracts a number from the word, and returns the old one.
unsigned long __atropos_barrier_arrive(unsigned long *word, long update) noexcept;
// Waits until the phase in the word is not `phase`, and returns it.
unsigned long __atropos_barrier_wait(const unsigned long *word, unsigned long phase) noexcept;
// Arrives and waits, at a barrier without a completion function.
void __atropos_barrier_meet(unsigned long *word) noexcept;
}

#endif
