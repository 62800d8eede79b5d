#include "rxe.h"
#include <stdatomic.h>
#include <stdlib.h>

/*
 * What the program sees of its objects, before Java knows them and after they are destroyed, and the contexts that are open. This file
 * calls nothing but event queues.
 */

pthread_mutex_t rxe_contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rxe_context **contexts;
static size_t open_contexts;

/* ---- contexts ---- */

bool rxe_remember_context(struct rxe_context *context) {
    HOLD(&rxe_contexts_lock);
    struct rxe_context **more = realloc(contexts, (open_contexts + 1) * sizeof *contexts);
    if (more) {
        contexts = more;
        contexts[open_contexts++] = context;
    }
    return more != NULL;
}

void rxe_forget_context(struct rxe_context *context) {
    HOLD(&rxe_contexts_lock);
    for (size_t i = 0; i < open_contexts; i++) {
        if (contexts[i] == context) {
            contexts[i] = contexts[--open_contexts];
        }
    }
}

static atomic_bool port_down[MOST_NICS], failed[MOST_NICS];

bool rxe_port_is_down(unsigned nic) {
    return port_down[nic];
}

bool rxe_has_failed(unsigned nic) {
    return failed[nic];
}

void rxe_raise_everywhere(unsigned nic, int type) {
    failed[nic] = failed[nic] || type == EVENT_DEVICE_FATAL;
    port_down[nic] = type == EVENT_PORT_ERR || (port_down[nic] && type != EVENT_PORT_ACTIVE);
    HOLD(&rxe_contexts_lock);
    for (size_t i = 0; i < open_contexts; i++) {
        if (contexts[i]->nic == nic) {
            event_queue_push(&contexts[i]->async, (struct event){.element = (void *)1, .type = type});
        }
    }
}

/* ---- destroyed objects ---- */

enum { GRAVES = 1024 };

pthread_mutex_t rxe_graves_lock = PTHREAD_MUTEX_INITIALIZER;
static void *graves[GRAVES];
static unsigned next_grave;

void rxe_bury(void *object) {
    HOLD(&rxe_graves_lock);
    free(graves[next_grave]);
    graves[next_grave] = object;
    next_grave = (next_grave + 1) % GRAVES;
}

/* ---- queue pairs and shared receive queues ---- */

struct rxe_qp *rxe_new_qp(struct ibv_context *context, struct ibv_pd *pd, const struct ibv_qp_init_attr *attr) {
    struct rxe_qp *qp = calloc(1, sizeof *qp);
    if (qp) {
        qp->ex.qp_base = (struct ibv_qp){.context = context, .qp_context = attr->qp_context, .pd = pd, .send_cq = attr->send_cq,
            .recv_cq = attr->recv_cq, .srq = attr->srq, .qp_type = attr->qp_type, .state = QPS_RESET};
        pthread_mutex_init(&qp->ex.qp_base.mutex, NULL);
        pthread_cond_init(&qp->ex.qp_base.cond, NULL);
    }
    return qp;
}

struct rxe_srq *rxe_new_srq(struct ibv_context *context, void *srq_context, struct ibv_pd *pd) {
    struct rxe_srq *srq = calloc(1, sizeof *srq);
    if (srq) {
        srq->base = (struct ibv_srq){.context = context, .srq_context = srq_context, .pd = pd};
        pthread_mutex_init(&srq->base.mutex, NULL);
        pthread_cond_init(&srq->base.cond, NULL);
    }
    return srq;
}
