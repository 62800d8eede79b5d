/* What epoll.c needs to know of the rsockets of librdmacm. */
#ifndef RXE_RSOCKETS_H
#define RXE_RSOCKETS_H

#include "rxe.h"
#include <time.h>

/* The longest time for which anybody waits for rsockets in one go, see rsockets.c. */
enum { RXE_SLICE_MS = 10 };

enum rxe_direction { RXE_IN, RXE_OUT, RXE_DIRECTIONS };

bool rxe_has_librspreload(void);
/* Whether a function of librdmacm is there, which the functions of this library return to where those of rsockets call them. */
bool rxe_is_librdmacm(const void *code);
/* The number that librdmacm has for the rsocket of a descriptor of the program; -1 for another descriptor. */
int rxe_rsocket_of(int fd);
/* A socket that is none of the JVM's: an rsocket where librspreload makes those. */
int rxe_socket_of_program(int domain, int type, int protocol);
/* Changes when the program reads (or accepts) or writes, after which the rsocket may be ready once more. */
uint32_t rxe_uses(int rs, enum rxe_direction direction);
/* Threads wait for rsockets in a set, one more or one less for each. */
void rxe_count_waits(const struct pollfd *fds, nfds_t count, int more);
/* Returns when no more than so many do so for this one. */
void rxe_await_waits(int rs, int most);
/* It is closed. */
void rxe_forget_rsocket(int rs);
/* The time that is so many ms ahead; less than none is never. */
int64_t rxe_deadline(int timeout);
/* A timeout in ms, no shorter than the given one: less than none for null, and less than that for one that the kernel refuses. */
enum { RXE_REFUSED_TIMEOUT = -2 };
int rxe_timeout(const struct timespec *timeout);
/* How many ms to wait now, of those until a time. */
int rxe_slice(int64_t until);

#endif
