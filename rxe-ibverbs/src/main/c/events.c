#include "rxe.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * The descriptor is a counting eventfd: the program may poll it and may make it non-blocking. The events themselves are in memory, so
 * that those of a destroyed element can be taken out again.
 */
enum { FLAGS = EFD_CLOEXEC | EFD_SEMAPHORE };

pthread_mutex_t rxe_queues_lock = PTHREAD_MUTEX_INITIALIZER;
static struct event_queue *queues;

static bool have_ended;

void rxe_end_events(void) {
    __atomic_store_n(&have_ended, true, __ATOMIC_RELEASE);
}

bool rxe_events_have_ended(void) {
    return __atomic_load_n(&have_ended, __ATOMIC_ACQUIRE);
}

static void enlist(struct event_queue *queue) {
    HOLD(&rxe_queues_lock);
    queue->next = queues;
    queue->link = &queues;
    if (queues) {
        queues->link = &queue->next;
    }
    queues = queue;
}

static void delist(struct event_queue *queue) {
    HOLD(&rxe_queues_lock);
    *queue->link = queue->next;
    if (queue->next) {
        queue->next->link = queue->link;
    }
}

int event_queue_open(struct event_queue *queue) {
    *queue = (struct event_queue){.fd = eventfd(0, FLAGS)};
    if (queue->fd < 0) {
        return errno;
    }
    pthread_mutex_init(&queue->lock, NULL);
    enlist(queue);
    return 0;
}

void event_queue_close(struct event_queue *queue) {
    UNINTERRUPTED;
    delist(queue);
    close(queue->fd);
    free(queue->ring);
    /* A program that waits in a destroyed queue gets EBADF. */
    queue->fd = -1;
    queue->ring = NULL;
    queue->count = queue->capacity = 0;
}

/*
 * Whether a descriptor is an eventfd like a fresh one: a program that became a daemon has closed it, and may have given the number away.
 * fstat does not help, since eventfd, epoll and timerfd have one inode.
 */
static bool is_of_queue(int fd, int fresh) {
    char path[32], now[64] = "", expected[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t now_length = readlink(path, now, sizeof now - 1);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fresh);
    ssize_t expected_length = readlink(path, expected, sizeof expected - 1);
    return now_length > 0 && expected_length > 0 && strcmp(now, expected) == 0;
}

/*
 * The events of the parent would wake the child through a descriptor that both have, and the other way round. Without a new one they
 * share it.
 */
static void renew_descriptor(struct event_queue *queue) {
    int fresh = eventfd(0, FLAGS);
    if (fresh < 0) {
        rxe_say("a child of this process shares its events with it: %s", strerror(errno));
        return;
    }
    if (is_of_queue(queue->fd, fresh)) {
        fcntl(fresh, F_SETFL, fcntl(queue->fd, F_GETFL));
        dup3(fresh, queue->fd, O_CLOEXEC);
    }
    close(fresh);
}

void rxe_events_in_child(void) {
    for (struct event_queue *queue = queues; queue; queue = queue->next) {
        renew_descriptor(queue);
        /* Not freed: another thread may have been at it. */
        pthread_mutex_init(&queue->lock, NULL);
        queue->ring = NULL;
        queue->capacity = queue->first = queue->count = 0;
    }
}

static struct event *event_at(struct event_queue *queue, unsigned index) {
    return &queue->ring[(queue->first + index) % queue->capacity];
}

static bool grow(struct event_queue *queue) {
    unsigned capacity = queue->capacity ? 2 * queue->capacity : 16;
    struct event *ring = calloc(capacity, sizeof *ring);
    if (!ring) {
        return false;
    }
    for (unsigned i = 0; i < queue->count; i++) {
        ring[i] = *event_at(queue, i);
    }
    free(queue->ring);
    queue->ring = ring;
    queue->capacity = capacity;
    queue->first = 0;
    return true;
}

/* An errno. The program may have closed the descriptor, and opened a file or a socket with its number, where eight bytes do not belong. */
static int wake(int fd) {
    struct stat found;
    if (syscall(SYS_fstat, fd, &found) != 0 || found.st_mode & S_IFMT) {
        return EBADF;
    }
    return eventfd_write(fd, 1) == 0 ? 0 : errno;
}

void event_queue_push(struct event_queue *queue, struct event event) {
    UNINTERRUPTED;
    if (rxe_events_have_ended()) {
        return;
    }
    pthread_mutex_lock(&queue->lock);
    /* Written under the lock: who takes an event back reads the descriptor for it. */
    int status = queue->count < queue->capacity || grow(queue) ? wake(queue->fd) : ENOMEM;
    if (!status) {
        queue->count++;
        *event_at(queue, queue->count - 1) = event;
    }
    pthread_mutex_unlock(&queue->lock);
    if (status) {
        rxe_say("an event is lost: %s", status == EBADF ? "the program has closed the descriptor of its channel" : strerror(status));
    }
}

int event_queue_pop(struct event_queue *queue, struct event *event) {
    bool found = false;
    while (!found) {
        eventfd_t one;
        /* Not eventfd_read: its EAGAIN and EINTR are what the program expects, and read is what it may interrupt. */
        if (read(queue->fd, &one, sizeof one) != sizeof one) {
            return -1;
        }
        HOLD(&queue->lock);
        /* Empty when event_queue_forget took the event after the descriptor was read: wait for the next. */
        found = queue->count > 0;
        if (found) {
            *event = *event_at(queue, 0);
            queue->first = (queue->first + 1) % queue->capacity;
            queue->count--;
            if (event->reported) {
                ++*event->reported;
            }
        }
    }
    return 0;
}

/* glibc has it and preadv2 since 2.26 only, musl has neither. */
#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif

/* Reads the descriptor once; never waits, even if another thread is faster. */
static void read_one(struct event_queue *queue) {
    eventfd_t one;
    struct iovec target = {&one, sizeof one};
    if (syscall(SYS_preadv2, queue->fd, &target, 1L, -1L, -1L, RWF_NOWAIT) < 0) {
        return;
    }
}

bool event_queue_take(struct event_queue *queue, const void *element, struct event *event) {
    HOLD(&queue->lock);
    bool found = false;
    for (unsigned i = 0; i < queue->count; i++) {
        if (found) {
            *event_at(queue, i - 1) = *event_at(queue, i);
        } else if (event_at(queue, i)->element == element) {
            *event = *event_at(queue, i);
            found = true;
            read_one(queue);
        }
    }
    queue->count -= found;
    return found;
}

void event_queue_forget(struct event_queue *queue, const void *element) {
    struct event event;
    while (event_queue_take(queue, element, &event)) {
    }
}
