#include "address.h"
#include "results.h"
#include "rsockets.h"
#include "rxe.h"
#include <string.h>

/* The control verbs: they make the structures the program sees and leave the rest to Java. */

/* ---- completion channels and queues ---- */

PUBLIC struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context) {
    struct rxe_channel *channel = calloc(1, sizeof *channel);
    int status = channel ? rxe_refusal(context_of(context)->nic, "create_comp_channel") : ENOMEM;
    status = status ? status : event_queue_open(&channel->events);
    if (status) {
        return object_or_error(channel, -status);
    }
    channel->base = (struct ibv_comp_channel){.context = context, .fd = channel->events.fd};
    return &channel->base;
}

PUBLIC int ibv_destroy_comp_channel(struct ibv_comp_channel *base) {
    struct rxe_channel *channel = (struct rxe_channel *)base;
    if (base->fd < 0 || __atomic_load_n(&base->refcnt, __ATOMIC_ACQUIRE)) {
        return result(base->fd < 0 ? EINVAL : EBUSY);
    }
    int status = rxe_refusal(context_of(base->context)->nic, "destroy_comp_channel");
    if (status) {
        return result(status);
    }
    base->fd = -1;
    event_queue_close(&channel->events);
    rxe_bury(channel);
    return 0;
}

/* With timestamps, Java writes those of each completion beside the one that ibv_next_poll reads. */
static struct rxe_cq *create_cq(struct ibv_context *context, uint32_t cqe, void *cq_context, struct ibv_comp_channel *channel,
                                bool timestamps, const struct ibv_pd *parent) {
    struct rxe_cq *cq = calloc(1, sizeof *cq);
    if (!cq) {
        return object_or_error(cq, -ENOMEM);
    }
    /* Complete before Java knows it: an event may arrive at once. */
    cq->ex.base.context = context;
    cq->ex.base.channel = channel;
    cq->ex.base.cq_context = cq_context;
    cq->ex.base.cqe = (int)cqe;
    pthread_mutex_init(&cq->ex.base.mutex, NULL);
    pthread_cond_init(&cq->ex.base.cond, NULL);
    int handle = up(UP_CREATE_CQ, nic_of(context), (int)cqe, ADDRESS(cq), channel != NULL, timestamps ? ADDRESS(&cq->stamps) : 0,
        parent ? (int)parent->handle : 0);
    if ((cq = object_or_error(cq, handle))) {
        cq->ex.base.handle = (uint32_t)handle;
        if (channel) {
            __atomic_add_fetch(&channel->refcnt, 1, __ATOMIC_ACQ_REL);
        }
    }
    return cq;
}

PUBLIC struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector) {
    if (cqe < 1 || vector < 0 || vector >= context->num_comp_vectors) {
        errno = EINVAL;
        return NULL;
    }
    return (struct ibv_cq *)create_cq(context, (uint32_t)cqe, cq_context, channel, false, NULL);
}

/*
 * A parent domain changes nothing for a completion queue, but stays until that is destroyed. Nor does IGNORE_OVERRUN, with which a program
 * promises that its queue never overruns: where it does, the queue pairs fail, and no completion is lost without a word.
 */
struct ibv_cq_ex *rxe_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr) {
    uint32_t flags = attr->comp_mask & CQ_INIT_ATTR_MASK_FLAGS ? attr->flags : 0;
    if (attr->wc_flags & ~(uint64_t)WC_ALL_FLAGS || attr->comp_mask & ~(uint32_t)(CQ_INIT_ATTR_MASK_FLAGS | CQ_INIT_ATTR_MASK_PD)
        || flags & ~(uint32_t)(CREATE_CQ_ATTR_SINGLE_THREADED | CREATE_CQ_ATTR_IGNORE_OVERRUN)) {
        unsupported();
        return NULL;
    }
    const struct ibv_pd *parent = attr->comp_mask & CQ_INIT_ATTR_MASK_PD ? attr->parent_domain : NULL;
    if (attr->cqe < 1 || attr->comp_vector >= (uint32_t)context->num_comp_vectors
        || (attr->comp_mask & CQ_INIT_ATTR_MASK_PD && !rxe_is_parent_domain(parent))) {
        errno = EINVAL;
        return NULL;
    }
    struct rxe_cq *cq = create_cq(context, attr->cqe, attr->cq_context, attr->channel, attr->wc_flags & (WC_TIMESTAMP | WC_WALLCLOCK),
        parent);
    if (cq) {
        rxe_cq_begin_polling(cq, flags & CREATE_CQ_ATTR_SINGLE_THREADED);
    }
    return (struct ibv_cq_ex *)cq;
}

PUBLIC int ibv_resize_cq(struct ibv_cq *cq, int cqe) {
    return cqe < 1 ? result(EINVAL) : result(up(UP_RESIZE_CQ, (int)cq->handle, cqe, ADDRESS(cq)));
}

/* Waits until the program has acknowledged every event it took, as libibverbs promises of the destroy verbs. */
static void await_acknowledged(pthread_mutex_t *mutex, pthread_cond_t *cond, const uint32_t *completed, const uint32_t *reported) {
    pthread_mutex_lock(mutex);
    while (*completed != *reported) {
        pthread_cond_wait(cond, mutex);
    }
    pthread_mutex_unlock(mutex);
}

PUBLIC int ibv_destroy_cq(struct ibv_cq *base) {
    struct rxe_cq *cq = (struct rxe_cq *)base;
    int status = up(UP_DESTROY_CQ, (int)base->handle);
    if (status) {
        return result(status);
    }
    base->handle = (uint32_t)DESTROYED;
    if (base->channel) {
        event_queue_forget(&((struct rxe_channel *)base->channel)->events, cq);
        __atomic_sub_fetch(&base->channel->refcnt, 1, __ATOMIC_ACQ_REL);
    }
    event_queue_forget(&context_of(base->context)->async, cq);
    await_acknowledged(&base->mutex, &base->cond, &base->comp_events_completed, &cq->comp_reported);
    await_acknowledged(&base->mutex, &base->cond, &base->async_events_completed, &cq->async_reported);
    rxe_bury(cq);
    return 0;
}

PUBLIC int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context) {
    struct event event;
    if (result(rxe_refusal(context_of(channel->context)->nic, "get_cq_event"))
        || event_queue_pop(&((struct rxe_channel *)channel)->events, &event) != 0) {
        return -1;
    }
    *cq = event.element;
    *cq_context = (*cq)->cq_context;
    return 0;
}

static void acknowledge(pthread_mutex_t *mutex, pthread_cond_t *cond, uint32_t *completed, uint32_t count) {
    HOLD(mutex);
    *completed += count;
    pthread_cond_signal(cond);
}

PUBLIC void ibv_ack_cq_events(struct ibv_cq *cq, unsigned count) {
    if (count) {
        acknowledge(&cq->mutex, &cq->cond, &cq->comp_events_completed, count);
    }
}

PUBLIC void ibv_ack_async_event(struct ibv_async_event *event) {
    struct ibv_cq *cq = event->element;
    struct ibv_qp *qp = event->element;
    struct ibv_srq *srq = event->element;
    switch (event->event_type) {
        case EVENT_CQ_ERR:
            acknowledge(&cq->mutex, &cq->cond, &cq->async_events_completed, 1);
            return;
        case EVENT_QP_FATAL:
        case EVENT_QP_REQ_ERR:
        case EVENT_QP_ACCESS_ERR:
        case EVENT_COMM_EST:
        case EVENT_SQ_DRAINED:
        case EVENT_PATH_MIG:
        case EVENT_PATH_MIG_ERR:
        case EVENT_QP_LAST_WQE_REACHED:
            acknowledge(&qp->mutex, &qp->cond, &qp->events_completed, 1);
            return;
        case EVENT_SRQ_ERR:
        case EVENT_SRQ_LIMIT_REACHED:
            acknowledge(&srq->mutex, &srq->cond, &srq->events_completed, 1);
            return;
        default:
            return;
    }
}

/* ---- queue pairs ---- */

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr) {
    struct rxe_qp *qp = rxe_new_qp(pd->context, pd, attr);
    /* One that only sends needs one queue. */
    const struct ibv_cq *receives = attr->qp_type == XRC_SEND_QP ? attr->send_cq : attr->recv_cq;
    if (!qp || !attr->send_cq || !receives) {
        return object_or_error(qp, qp ? -EINVAL : -ENOMEM);
    }
    int handle = up(UP_CREATE_QP, (int)pd->handle, (int)attr->send_cq->handle, (int)receives->handle,
        attr->srq ? (int)attr->srq->handle : 0, ADDRESS(attr), ADDRESS(qp));
    if ((qp = object_or_error(qp, handle))) {
        qp->ex.qp_base.handle = (uint32_t)handle;
        qp->max_wr = attr->cap.max_send_wr;
        qp->max_sge = attr->cap.max_send_sge;
        qp->max_inline = attr->cap.max_inline_data;
    }
    return (struct ibv_qp *)qp;
}

PUBLIC struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr) {
    return create_qp(pd, attr);
}

PUBLIC int ibv_destroy_qp(struct ibv_qp *base) {
    struct rxe_qp *qp = (struct rxe_qp *)base;
    int status = up(UP_DESTROY_QP, (int)base->handle);
    if (status) {
        return result(status);
    }
    base->handle = (uint32_t)DESTROYED;
    event_queue_forget(&context_of(base->context)->async, qp);
    await_acknowledged(&base->mutex, &base->cond, &base->events_completed, &qp->async_reported);
    rxe_qp_end_batches(qp);
    rxe_bury(qp);
    return 0;
}

static int check_qp_ex(const struct ibv_qp_init_attr_ex *attr) {
    uint32_t known = QP_INIT_ATTR_PD | QP_INIT_ATTR_XRCD | QP_INIT_ATTR_CREATE_FLAGS | QP_INIT_ATTR_SEND_OPS_FLAGS;
    if (attr->comp_mask & ~known || (attr->comp_mask & QP_INIT_ATTR_CREATE_FLAGS && attr->create_flags)
        || (attr->comp_mask & QP_INIT_ATTR_SEND_OPS_FLAGS && attr->send_ops_flags & ~(uint64_t)SUPPORTED_SEND_OPS)) {
        return EOPNOTSUPP;
    }
    bool receives_xrc = attr->qp_type == XRC_RECEIVE_QP;
    return receives_xrc ? (attr->comp_mask & QP_INIT_ATTR_XRCD && attr->xrcd ? 0 : EINVAL)
        : attr->comp_mask & QP_INIT_ATTR_PD && attr->pd ? 0 : EINVAL;
}

/* The structure begins with the fields of ibv_qp_init_attr. */
struct ibv_qp *rxe_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr) {
    int status = check_qp_ex(attr);
    if (status) {
        errno = status;
        return NULL;
    }
    if (attr->qp_type == XRC_RECEIVE_QP) {
        return rxe_create_xrc_receiver(context, attr);
    }
    struct ibv_qp *qp = create_qp(attr->pd, (struct ibv_qp_init_attr *)attr);
    if (qp && attr->comp_mask & QP_INIT_ATTR_SEND_OPS_FLAGS && !rxe_qp_begin_batches((struct rxe_qp *)qp)) {
        ibv_destroy_qp(qp);
        errno = ENOMEM;
        return NULL;
    }
    return qp;
}

PUBLIC struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp) {
    return ((struct rxe_qp *)qp)->batch ? (struct ibv_qp_ex *)qp : NULL;
}

PUBLIC int ibv_modify_qp(struct ibv_qp *qp, void *attr, int mask) {
    int status = up(UP_MODIFY_QP, (int)qp->handle, ADDRESS(attr), mask);
    if (!status && mask & QP_STATE) {
        /* The state is the first field of ibv_qp_attr. */
        qp->state = *(int *)attr;
    }
    return result(status);
}

PUBLIC int ibv_query_qp(struct ibv_qp *qp, void *attr, int mask, struct ibv_qp_init_attr *init) {
    *init = (struct ibv_qp_init_attr){.qp_context = qp->qp_context, .send_cq = qp->send_cq, .recv_cq = qp->recv_cq, .srq = qp->srq,
        .qp_type = qp->qp_type};
    int status = up(UP_QUERY_QP, (int)qp->handle, ADDRESS(attr), ADDRESS(init));
    if (!status && mask & QP_STATE) {
        qp->state = *(int *)attr;
    }
    return result(status);
}

PUBLIC int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) {
    (void)lid;
    return result(up(UP_ATTACH_MCAST, (int)qp->handle, ADDRESS(gid)));
}

PUBLIC int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) {
    (void)lid;
    return result(up(UP_DETACH_MCAST, (int)qp->handle, ADDRESS(gid)));
}

/* ---- shared receive queues ---- */

PUBLIC struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr) {
    struct rxe_srq *srq = rxe_new_srq(pd->context, attr->srq_context, pd);
    int handle = srq ? up(UP_CREATE_SRQ, (int)pd->handle, ADDRESS(&attr->max_wr), ADDRESS(srq)) : -ENOMEM;
    if ((srq = object_or_error(srq, handle))) {
        srq->base.handle = (uint32_t)handle;
    }
    return (struct ibv_srq *)srq;
}

PUBLIC int ibv_modify_srq(struct ibv_srq *srq, void *attr, int mask) {
    return result(up(UP_MODIFY_SRQ, (int)srq->handle, ADDRESS(attr), mask));
}

PUBLIC int ibv_query_srq(struct ibv_srq *srq, void *attr) {
    return result(up(UP_QUERY_SRQ, (int)srq->handle, ADDRESS(attr)));
}

PUBLIC int ibv_destroy_srq(struct ibv_srq *base) {
    struct rxe_srq *srq = (struct rxe_srq *)base;
    int status = up(UP_DESTROY_SRQ, (int)base->handle);
    if (status) {
        return result(status);
    }
    base->handle = (uint32_t)DESTROYED;
    event_queue_forget(&context_of(base->context)->async, srq);
    await_acknowledged(&base->mutex, &base->cond, &base->events_completed, &srq->async_reported);
    rxe_bury(srq);
    return 0;
}

/* ---- address handles ---- */

struct ibv_ah_attr {
    union ibv_gid dgid;
    uint32_t flow_label;
    uint8_t sgid_index, hop_limit, traffic_class;
    uint16_t dlid;
    uint8_t sl, src_path_bits, static_rate, is_global, port_num;
};

_Static_assert(sizeof(struct ibv_ah_attr) == AH_ATTR_SIZE, "ibv_ah_attr");

/* Datagrams of rsockets know their own port by its LID alone, as InfiniBand allows: RoCE knows it by its GID. */
static int own_port(struct ibv_pd *pd, struct ibv_ah_attr *attr) {
    *attr = (struct ibv_ah_attr){.sgid_index = 1, .hop_limit = 1, .is_global = 1, .port_num = attr->port_num};
    return rxe_gid(context_of(pd->context)->nic, &attr->dgid);
}

PUBLIC struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, void *given) {
    struct ibv_ah_attr attr = *(struct ibv_ah_attr *)given;
    struct ibv_ah *ah = calloc(1, sizeof *ah);
    int status = !ah ? ENOMEM : !attr.is_global && rxe_is_librdmacm(__builtin_return_address(0)) ? own_port(pd, &attr) : 0;
    int handle = status ? -status : up(UP_CREATE_AH, (int)pd->handle, ADDRESS(&attr));
    if ((ah = object_or_error(ah, handle))) {
        *ah = (struct ibv_ah){.context = pd->context, .pd = pd, .handle = (uint32_t)handle};
    }
    return ah;
}

PUBLIC int ibv_destroy_ah(struct ibv_ah *ah) {
    int status = up(UP_DESTROY_AH, (int)ah->handle);
    if (!status) {
        ah->handle = (uint32_t)DESTROYED;
        rxe_bury(ah);
    }
    return result(status);
}

PUBLIC int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc, void *grh, void *attr) {
    (void)context;
    return port == 1 ? result(up(UP_INIT_AH_FROM_WC, ADDRESS(wc), ADDRESS(grh), ADDRESS(attr))) : result(EINVAL);
}

PUBLIC struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, void *grh, uint8_t port) {
    uint64_t attr[AH_ATTR_SIZE / sizeof(uint64_t)];
    return ibv_init_ah_from_wc(pd->context, port, wc, grh, attr) ? NULL : ibv_create_ah(pd, attr);
}

/* ---- what takes one of our objects and cannot be done ---- */

PUBLIC struct ibv_context *ibv_import_device(int fd) {
    (void)fd;
    unsupported();
    return NULL;
}

PUBLIC void *ibv_import_dm(struct ibv_context *context, uint32_t handle) {
    (void)context, (void)handle;
    unsupported();
    return NULL;
}

PUBLIC void ibv_unimport_dm(void *dm) {
    (void)dm;
}

PUBLIC int ibv_set_ece(struct ibv_qp *qp, void *ece) {
    (void)ece;
    int status = rxe_refusal(context_of(qp->context)->nic, "set_ece");
    return status ? result(status) : unsupported();
}

/* Three words of zero: no vendor, no options. */
PUBLIC int ibv_query_ece(struct ibv_qp *qp, void *ece) {
    memset(ece, 0, 3 * sizeof(uint32_t));
    return result(rxe_refusal(context_of(qp->context)->nic, "query_ece"));
}

/* Writes are not in order within a packet's bytes for all operations. */
PUBLIC int ibv_query_qp_data_in_order(struct ibv_qp *qp, int operation, uint32_t flags) {
    (void)qp, (void)operation, (void)flags;
    return 0;
}

PUBLIC int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, void *attr, uint8_t *mac, uint16_t *vlan) {
    (void)context, (void)attr, (void)mac, (void)vlan;
    return unsupported();
}

/* Registered memory is the program's own and is never pinned, so that a fork needs no preparation. */
PUBLIC int ibv_fork_init(void) {
    return result(rxe_refusal(0, "fork_init"));
}

/* IBV_FORK_UNNEEDED */
PUBLIC int ibv_is_fork_initialized(void) {
    return 2;
}

PUBLIC int ibv_dontfork_range(void *base, size_t size) {
    (void)base, (void)size;
    return 0;
}

PUBLIC int ibv_dofork_range(void *base, size_t size) {
    (void)base, (void)size;
    return 0;
}
