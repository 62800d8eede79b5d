#include "results.h"
#include "rxe.h"

/* XRC domains, their shared receive queues and the queue pairs that receive for them. */

struct rxe_xrcd {
    struct ibv_xrcd base;
    int handle;
};

/* No other process can share a domain: one that is named by a file is as private as one that is not. */
struct ibv_xrcd *rxe_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr) {
    if (attr->comp_mask & ~(uint32_t)(XRCD_INIT_ATTR_FD | XRCD_INIT_ATTR_OFLAGS)) {
        unsupported();
        return NULL;
    }
    if (attr->comp_mask != (XRCD_INIT_ATTR_FD | XRCD_INIT_ATTR_OFLAGS)) {
        errno = EINVAL;
        return NULL;
    }
    struct rxe_xrcd *xrcd = calloc(1, sizeof *xrcd);
    int handle = xrcd ? up(UP_OPEN_XRCD, nic_of(context)) : -ENOMEM;
    if ((xrcd = object_or_error(xrcd, handle))) {
        *xrcd = (struct rxe_xrcd){.base = {.context = context}, .handle = handle};
    }
    return (struct ibv_xrcd *)xrcd;
}

int rxe_close_xrcd(struct ibv_xrcd *xrcd) {
    int status = up(UP_CLOSE_XRCD, ((struct rxe_xrcd *)xrcd)->handle);
    if (!status) {
        ((struct rxe_xrcd *)xrcd)->handle = DESTROYED;
        rxe_bury(xrcd);
    }
    return result(status);
}

static struct rxe_srq *create_xrc_srq(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr) {
    struct rxe_srq *srq = rxe_new_srq(context, attr->srq_context, attr->pd);
    int handle = srq ? up(UP_CREATE_XRC_SRQ, (int)attr->pd->handle, ((struct rxe_xrcd *)attr->xrcd)->handle, (int)attr->cq->handle,
        ADDRESS(&attr->max_wr), ADDRESS(srq)) : -ENOMEM;
    if ((srq = object_or_error(srq, handle))) {
        srq->base.handle = (uint32_t)handle;
    }
    return srq;
}

/* verbs.h itself sends what ibv_create_srq can make there. */
struct ibv_srq *rxe_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr) {
    uint32_t needed = SRQ_INIT_ATTR_TYPE | SRQ_INIT_ATTR_PD | SRQ_INIT_ATTR_XRCD | SRQ_INIT_ATTR_CQ;
    if (attr->comp_mask & ~needed || (attr->comp_mask & SRQ_INIT_ATTR_TYPE && attr->srq_type > SRQT_XRC)) {
        unsupported();
        return NULL;
    }
    if (attr->comp_mask != needed || attr->srq_type != SRQT_XRC || !attr->pd || !attr->xrcd || !attr->cq) {
        errno = EINVAL;
        return NULL;
    }
    return (struct ibv_srq *)create_xrc_srq(context, attr);
}

int rxe_get_srq_num(struct ibv_srq *srq, uint32_t *number) {
    int found = up(UP_SRQ_NUMBER, (int)srq->handle);
    if (found < 0) {
        return result(found);
    }
    *number = (uint32_t)found;
    return 0;
}

struct ibv_qp *rxe_create_xrc_receiver(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr) {
    struct rxe_qp *qp = rxe_new_qp(context, NULL, (struct ibv_qp_init_attr *)attr);
    int handle = qp ? up(UP_CREATE_XRC_QP, ((struct rxe_xrcd *)attr->xrcd)->handle, ADDRESS(qp)) : -ENOMEM;
    if ((qp = object_or_error(qp, handle))) {
        qp->ex.qp_base.handle = (uint32_t)handle;
        attr->cap = (struct ibv_qp_cap){0};
    }
    return (struct ibv_qp *)qp;
}
