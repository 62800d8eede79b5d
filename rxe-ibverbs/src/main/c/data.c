#include "rxe.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

/* The data path: one call into Java each. */

/*
 * Programs spin. Where they and the engines share few processors, a program that finds nothing several times must give its own away, or
 * what it waits for cannot happen.
 */
enum { EMPTY_POLLS_BEFORE_YIELD = 4 };

/*
 * The errno of a call, which Java reports as it is and jvm.c negative. While the process exits, threads of the program and its libraries
 * still use the NIC, which has closed: that of a kernel would work to the end, and UCX aborts at a request that is refused. What they ask
 * for is taken, and no answer follows.
 */
static int to_errno(int status) {
    return status && !rxe_events_have_ended() ? abs(status) : 0;
}

static int post(enum upcall method, uint32_t handle, void *wr, void **bad) {
    jvalue arguments[] = {{.i = (jint)handle}, {.j = (intptr_t)wr}, {.j = (intptr_t)bad}};
    int status = up_fast(method, arguments);
    if (status < 0 && bad) {
        *bad = wr;
    }
    return to_errno(status);
}

int rxe_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
    return post(UP_POST_SEND, qp->handle, wr, (void **)bad);
}

int rxe_post_recv(struct ibv_qp *qp, void *wr, void **bad) {
    return post(UP_POST_RECV, qp->handle, wr, bad);
}

int rxe_post_srq_recv(struct ibv_srq *srq, void *wr, void **bad) {
    return post(UP_POST_SRQ_RECV, srq->handle, wr, bad);
}

int rxe_take_completions(struct rxe_cq *cq, int count, struct ibv_wc *wc) {
    jvalue arguments[] = {{.i = (jint)cq->ex.base.handle}, {.i = count}, {.j = (intptr_t)wc}};
    int found = up_fast(UP_POLL_CQ, arguments);
    if (found && rxe_events_have_ended()) {
        return 0;
    }
    if (found < 0 && cq->ex.base.handle == (uint32_t)DESTROYED) {
        /* By another thread meanwhile, as gloo does: the queue of an adapter is empty then, and no poll fails. */
        return 0;
    }
    if (found) {
        __atomic_store_n(&cq->empty_polls, 0, __ATOMIC_RELAXED);
    } else if (__atomic_add_fetch(&cq->empty_polls, 1, __ATOMIC_RELAXED) >= EMPTY_POLLS_BEFORE_YIELD) {
        sched_yield();
    }
    return found;
}

/* A thread that is between ibv_start_poll and ibv_end_poll is the only one that takes completions, however others poll. */
int rxe_poll_cq(struct ibv_cq *base, int count, struct ibv_wc *wc) {
    struct rxe_cq *cq = (struct rxe_cq *)base;
    if (!cq->is_locked) {
        return rxe_take_completions(cq, count, wc);
    }
    HOLD(&cq->poll_lock);
    return rxe_take_completions(cq, count, wc);
}

int rxe_req_notify_cq(struct ibv_cq *cq, int solicited_only) {
    jvalue arguments[] = {{.i = (jint)cq->handle}, {.z = solicited_only != 0}};
    return to_errno(up_fast(UP_REQ_NOTIFY_CQ, arguments));
}
