// What programs ask of the operating system.
// check: rc11 rf executions 1
#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void memory(void) {
    long page = sysconf(_SC_PAGESIZE);
    assert(page == getpagesize() && getauxval(AT_PAGESZ) == (unsigned long)page);
    char *p = mmap(0, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(p != MAP_FAILED && (unsigned long)p % (unsigned long)page == 0 && p[page - 1] == 0);
    p[0] = 1;
    assert(mprotect(p, 1, PROT_READ | PROT_WRITE) == 0);
    assert(madvise(p, 1, MADV_DONTNEED) == 0 && p[0] == 0);
    assert(munmap(p, 100) == 0);
    assert(mmap(0, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
}

static void processors(void) {
    cpu_set_t set;
    struct rlimit limit;
    struct sched_param parameters;
    int policy;
    assert(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == sysconf(_SC_NPROCESSORS_ONLN));
    assert(getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY);
    assert(pthread_getschedparam(pthread_self(), &policy, &parameters) == 0 && policy == SCHED_OTHER);
    assert(prctl(PR_SET_NAME, "worker") == 0);
    assert(syscall(SYS_membarrier, 0, 0, 0) == -1 && errno == ENOSYS);
}

static void signals(void) {
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(pthread_sigmask(SIG_BLOCK, &set, &old) == 0 && !sigismember(&old, SIGUSR1));
    sigfillset(&set);
    sigdelset(&set, SIGUSR1);
    assert(pthread_sigmask(SIG_UNBLOCK, &set, &old) == 0 && sigismember(&old, SIGUSR1));
    assert(pthread_sigmask(SIG_SETMASK, 0, &old) == 0 && sigismember(&old, SIGUSR1) && !sigismember(&old, SIGINT));
}

static void files(void) {
    void *frames[4];
    char line[10];
    assert(fopen("none", "r") == 0 && errno == ENOENT);
    assert(open("none", O_RDONLY) == -1 && getchar() == EOF && fgets(line, 10, stdin) == 0);
    assert(backtrace(frames, 4) == 0);
    poll(0, 0, 10);
    warnx("nothing");
}

static void *other(void *unused) {
    assert(gettid() != getpid() && syscall(SYS_gettid) == gettid());
    return unused;
}

int main(void) {
    pthread_t thread;
    assert(gettid() == getpid());
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    memory();
    processors();
    signals();
    files();
    errx(0, "done");
    assert(0);
}
