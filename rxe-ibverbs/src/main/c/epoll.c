#include "rsockets.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>

/*
 * epoll for rsockets, which librspreload leaves to the kernel: that refuses the number of an rsocket with EPERM. These are members of a set
 * of ours, which has the number of the kernel's, with the kernel's other descriptors. Where there may be rsockets, each set of the program
 * is also one of ours from the start: another thread may wait in it when the first rsocket comes.
 */

/* From glibc 2.35 on. */
int epoll_pwait2(int epfd, struct epoll_event *events, int most, const struct timespec *timeout, const sigset_t *mask);

/* What epoll and poll call alike. */
enum { READY = EPOLLIN | EPOLLOUT, ENDED = EPOLLERR | EPOLLHUP };

/* An rsocket in a set. With EPOLLET, what was reported and not used since; how often it was used until then. */
struct member {
    int rs;
    bool is_off;
    uint32_t reported, used[RXE_DIRECTIONS];
    struct epoll_event event;
};

/* It stays when the program closes it: numbers come again. `first` and `kernel_last` change, so that all members have a turn. */
struct set {
    int epfd;
    bool kernel_last;
    size_t count, capacity, first;
    struct member *members;
    struct set *next;
};

/* What a thread waits for; of the innermost wait, where a handler of a signal waits. */
struct wait {
    struct pollfd *fds;
    nfds_t count;
};

static __thread struct wait waiting __attribute__((tls_model("initial-exec")));
pthread_mutex_t rxe_sets_lock = PTHREAD_MUTEX_INITIALIZER;
static struct set *sets;

static struct set *find_set(int epfd) {
    struct set *set = sets;
    while (set && set->epfd != epfd) {
        set = set->next;
    }
    return set;
}

/* A position from the given one on, and around; the count if there is none. */
static size_t position(const struct set *set, int rs, size_t from) {
    for (size_t i = 0; i < set->count; i++) {
        size_t at = (from + i) % set->count;
        if (set->members[at].rs == rs) {
            return at;
        }
    }
    return set->count;
}

static void take_out(struct set *set, size_t at) {
    if (at < set->count) {
        set->members[at] = set->members[--set->count];
    }
}

/* A handler of a signal may close what its own thread waits for: that ends the wait. */
static int own_waits(int rs) {
    int count = 0;
    for (nfds_t i = 0; i < waiting.count; i++) {
        count += waiting.fds[i].fd == rs;
    }
    return count;
}

/* A descriptor that the program has closed is in no set. */
PUBLIC int rclose(int rs) {
    NEXT(rclose);
    {
        HOLD(&rxe_sets_lock);
        for (struct set *set = sets; set; set = set->next) {
            take_out(set, position(set, rs, 0));
        }
    }
    rxe_await_waits(rs, own_waits(rs));
    rxe_forget_rsocket(rs);
    return next(rs);
}

/* Null without memory. */
static struct set *find_or_add_set(int epfd) {
    struct set *set = find_set(epfd);
    if (!set && (set = calloc(1, sizeof *set))) {
        *set = (struct set){.epfd = epfd, .next = sets};
        __atomic_store_n(&sets, set, __ATOMIC_RELEASE);
    }
    return set;
}

static int created(int epfd, const void *caller) {
    bool is_of_program = epfd >= 0 && rxe_has_librspreload() && !rxe_is_of_jvm(caller);
    HOLD(&rxe_sets_lock);
    struct set *set = is_of_program ? find_or_add_set(epfd) : find_set(epfd);
    if (set) {
        set->count = 0;
    }
    return epfd;
}

PUBLIC int epoll_create(int size) {
    NEXT(epoll_create);
    return created(next(size), __builtin_return_address(0));
}

PUBLIC int epoll_create1(int flags) {
    NEXT(epoll_create1);
    return created(next(flags), __builtin_return_address(0));
}

/* Room for one member more; null without memory. */
static struct set *with_room(int epfd) {
    struct set *set = find_or_add_set(epfd);
    if (set && set->count == set->capacity) {
        size_t capacity = set->capacity ? 2 * set->capacity : 16;
        struct member *members = realloc(set->members, capacity * sizeof *members);
        if (!members) {
            return NULL;
        }
        set->members = members;
        set->capacity = capacity;
    }
    return set;
}

/* An errno. */
static int control(int epfd, int operation, int rs, const struct epoll_event *event) {
    HOLD(&rxe_sets_lock);
    bool adds = operation == EPOLL_CTL_ADD, changes = operation == EPOLL_CTL_MOD;
    if ((!adds && !changes && operation != EPOLL_CTL_DEL) || (changes && event->events & EPOLLEXCLUSIVE)) {
        return EINVAL;
    }
    struct set *set = adds ? with_room(epfd) : find_set(epfd);
    if (!set) {
        return adds ? ENOMEM : ENOENT;
    }
    size_t at = position(set, rs, 0);
    if ((at < set->count) == adds) {
        return adds ? EEXIST : ENOENT;
    }
    if (operation == EPOLL_CTL_DEL) {
        take_out(set, at);
        return 0;
    }
    set->count += adds;
    set->members[at] = (struct member){.rs = rs, .event = *event};
    return 0;
}

PUBLIC int epoll_ctl(int epfd, int operation, int fd, struct epoll_event *event) {
    NEXT(epoll_ctl);
    int status = next(epfd, operation, fd, event);
    int rs = status != 0 && errno == EPERM ? rxe_rsocket_of(fd) : -1;
    if (rs < 0) {
        return status;
    }
    int error = control(epfd, operation, rs, event);
    if (error) {
        errno = error;
    }
    return error ? -1 : 0;
}

/* What to wait for: with EPOLLET not for what was reported before, unless the program used the rsocket since. */
static nfds_t wanted(struct set *set, struct pollfd *fds) {
    nfds_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        struct member *member = &set->members[(set->first + i) % set->count];
        for (int direction = RXE_IN; direction < RXE_DIRECTIONS; direction++) {
            uint32_t now = rxe_uses(member->rs, direction);
            if (now != member->used[direction]) {
                member->used[direction] = now;
                member->reported &= ~(uint32_t)(ENDED | (direction == RXE_IN ? EPOLLIN : EPOLLOUT));
            }
        }
        if (!member->is_off && !(member->reported & ENDED)) {
            fds[count++] = (struct pollfd){.fd = member->rs, .events = (short)(member->event.events & READY & ~member->reported)};
        }
    }
    return count;
}

/* What of the events that were found to tell the program now: another thread may have told it, or changed the member, meanwhile. */
static uint32_t news(const struct member *member, uint32_t found) {
    uint32_t asked_for = member->event.events;
    found &= (asked_for & READY) | ENDED;
    return member->is_off ? 0 : found & ~(asked_for & EPOLLET ? member->reported : 0);
}

/* The end of the peer alone leaves what it sent, and is no EPOLLHUP with TCP, at which programs drop the connection and what is unread. */
static uint32_t as_of_tcp(const struct member *member, uint32_t found) {
    uint32_t asked_for = member->event.events;
    bool is_readable = asked_for & EPOLLIN && (found | member->reported) & EPOLLIN;
    return !(found & EPOLLHUP) ? found
        : (is_readable ? (found & ~(uint32_t)EPOLLHUP) | EPOLLIN : found) | (asked_for & EPOLLRDHUP);
}

static int report(struct set *set, const struct pollfd *fds, nfds_t count, struct epoll_event *events, int most) {
    HOLD(&rxe_sets_lock);
    int reported = 0;
    size_t at = 0;
    for (nfds_t i = 0; i < count && reported < most; i++) {
        at = fds[i].revents ? position(set, fds[i].fd, at) : at;
        /* Not there when another thread took it out meanwhile. */
        uint32_t found = fds[i].revents && at < set->count ? news(&set->members[at], (uint32_t)fds[i].revents) : 0;
        if (found) {
            struct member *member = &set->members[at];
            events[reported].data = member->event.data;
            events[reported++].events = as_of_tcp(member, found);
            member->reported |= member->event.events & EPOLLET ? found : 0;
            member->is_off = member->event.events & EPOLLONESHOT;
            set->first = at + 1;
        }
    }
    return reported;
}

/* Behind the rsockets in fds are those of the kernel. */
static int report_all(struct set *set, const struct pollfd *fds, nfds_t count, struct epoll_event *events, int most, bool kernel_last) {
    NEXT(epoll_wait);
    int ours = kernel_last ? report(set, fds, count, events, most) : 0;
    int others = fds[count].revents && ours < most ? next(set->epfd, events + ours, most - ours, 0) : 0;
    if (others < 0) {
        return ours ? ours : others;
    }
    return ours + others + (kernel_last ? 0 : report(set, fds, count, events + others, most - others));
}

/* The thread may be cancelled meanwhile. */
static void end_wait(void *ended) {
    struct wait *wait = ended;
    rxe_count_waits(wait->fds, wait->count, -1);
    free(wait->fds);
}

/* What is there of the kernel's descriptors and of the rsockets, after up to a slice of time. */
static int wait_once(struct set *set, struct epoll_event *events, int most, int timeout) {
    NEXT(epoll_wait);
    struct wait wait = {0}, before = waiting;
    size_t members;
    int ready;
    bool kernel_last;
    {
        HOLD(&rxe_sets_lock);
        kernel_last = set->kernel_last = !set->kernel_last;
        members = set->count;
        wait.fds = members ? malloc((members + 1) * sizeof *wait.fds) : NULL;
        wait.count = wait.fds ? wanted(set, wait.fds) : 0;
        rxe_count_waits(wait.fds, wait.count, 1);
    }
    if (!members) {
        return next(set->epfd, events, most, timeout);
    }
    if (!wait.fds) {
        errno = ENOMEM;
        return -1;
    }
    wait.fds[wait.count] = (struct pollfd){.fd = set->epfd, .events = POLLIN};
    waiting = wait;
    pthread_cleanup_push(end_wait, &wait);
    ready = rpoll(wait.fds, wait.count + 1, timeout);
    ready = ready > 0 ? report_all(set, wait.fds, wait.count, events, most, kernel_last) : ready;
    waiting = before;
    pthread_cleanup_pop(1);
    return ready;
}

/* Null for one that is the kernel's alone. */
static struct set *set_to_wait_for(int epfd) {
    if (!__atomic_load_n(&sets, __ATOMIC_ACQUIRE)) {
        return NULL;
    }
    HOLD(&rxe_sets_lock);
    return find_set(epfd);
}

/* A handler of a signal may run between two slices. */
static int wait_for(struct set *set, struct epoll_event *events, int most, int timeout, unsigned handled) {
    int64_t until = rxe_deadline(timeout);
    int slice, ready;
    do {
        slice = rxe_slice(until);
        ready = wait_once(set, events, most, slice);
        if (ready == 0 && slice && rxe_handled != handled) {
            errno = EINTR;
            return -1;
        }
    } while (ready == 0 && slice);
    return ready;
}

PUBLIC int epoll_wait(int epfd, struct epoll_event *events, int most, int timeout) {
    NEXT(epoll_wait);
    unsigned handled = rxe_handled;
    struct set *set = most > 0 ? set_to_wait_for(epfd) : NULL;
    return set ? wait_for(set, events, most, timeout, handled) : next(epfd, events, most, timeout);
}

static int wait_with(const sigset_t *mask, struct set *set, struct epoll_event *events, int most, int timeout) {
    unsigned handled = rxe_handled;
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, mask, &before);
    int ready = wait_for(set, events, most, timeout, handled), error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return ready;
}

PUBLIC int epoll_pwait(int epfd, struct epoll_event *events, int most, int timeout, const sigset_t *mask) {
    NEXT(epoll_pwait);
    struct set *set = most > 0 ? set_to_wait_for(epfd) : NULL;
    return set ? wait_with(mask, set, events, most, timeout) : next(epfd, events, most, timeout, mask);
}

PUBLIC int epoll_pwait2(int epfd, struct epoll_event *events, int most, const struct timespec *timeout, const sigset_t *mask) {
    NEXT(epoll_pwait2);
    int ms = rxe_timeout(timeout);
    struct set *set = most > 0 && ms != RXE_REFUSED_TIMEOUT ? set_to_wait_for(epfd) : NULL;
    return set ? wait_with(mask, set, events, most, ms) : next(epfd, events, most, timeout, mask);
}
