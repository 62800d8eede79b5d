#include "cm.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Event channels of librdmacm. Java raises the events, already in their order; here they wait for the program. */

/* ---- channels ---- */

PUBLIC struct rdma_event_channel *rdma_create_event_channel(void) {
    return result(rxe_refusal(0, "rdma_create_event_channel")) ? NULL : (struct rdma_event_channel *)rxe_cm_new_channel();
}

/* Its ids should be destroyed before; those that are not keep it, and the program cannot name it any more. */
PUBLIC void rdma_destroy_event_channel(struct rdma_event_channel *channel) {
    rxe_cm_release_channel(rxe_live_remove(channel) ? (struct rxe_cm_channel *)channel : NULL);
}

/* Waits first, as the events the program holds refer to the id. */
PUBLIC int rdma_migrate_id(struct rdma_cm_id *base, struct rdma_event_channel *channel) {
    REQUIRE_LIVE(base);
    struct rxe_cm_id *id = (struct rxe_cm_id *)base;
    if (channel) {
        REQUIRE_LIVE(channel);
    }
    int status = id->synchronous && !channel ? EINVAL : rxe_refusal(0, "rdma_migrate_id");
    if (status) {
        return rxe_cm_result(status);
    }
    if (id->synchronous) {
        rxe_cm_end_event(base);
    }
    rxe_cm_await_acknowledged(id);
    return rxe_cm_result(rxe_cm_join_channel(id, (struct rxe_cm_channel *)channel));
}

/* ---- the program's side ---- */

/*
 * On the side that connects the queue pair went to RTS with the event; it exists, as the connection does. A request belongs to the channel
 * that its listener has when the program takes it; without memory or descriptors for that, it stays where it is.
 */
static void follow(struct rdma_cm_event *event) {
    if (event->event == CM_CONNECT_ERROR || event->event == CM_UNREACHABLE || event->event == CM_REJECTED
        || event->event == CM_TIMEWAIT_EXIT) {
        ((struct rxe_cm_id *)event->id)->had_last_event = true;
    } else if (event->event == CM_CONNECT_REQUEST) {
        rxe_cm_follow_listener((struct rxe_cm_id *)event->id, (struct rxe_cm_id *)event->listen_id);
    } else if (event->event == CM_ESTABLISHED && event->id->qp && event->id->qp->qp_type != QPT_UD) {
        event->id->qp->state = QPS_RTS;
    }
}

int rxe_cm_take_event(struct rdma_event_channel *channel, struct rdma_cm_event **event) {
    struct event next;
    if (event_queue_pop(&((struct rxe_cm_channel *)channel)->events, &next) != 0) {
        return -1;
    }
    *event = next.body;
    follow(*event);
    return 0;
}

PUBLIC int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event) {
    REQUIRE_LIVE(channel);
    int status = event ? rxe_refusal(0, "rdma_get_cm_event") : EINVAL;
    return status ? rxe_cm_result(status) : rxe_cm_take_event(channel, event);
}

PUBLIC int rdma_ack_cm_event(struct rdma_cm_event *base) {
    struct rxe_cm_event *event = (struct rxe_cm_event *)base;
    /* Removing it is the check: of two threads that acknowledge one event, one fails. */
    if (!rxe_live_remove(event)) {
        return rxe_cm_result(EINVAL);
    }
    struct rxe_cm_id *id = event->counted;
    free(event);
    HOLD(&id->lock);
    id->completed++;
    pthread_cond_signal(&id->acknowledged);
    return 0;
}

void rxe_cm_await_acknowledged(struct rxe_cm_id *id) {
    pthread_mutex_lock(&id->lock);
    while (id->completed != id->reported) {
        pthread_cond_wait(&id->acknowledged, &id->lock);
    }
    pthread_mutex_unlock(&id->lock);
}

void rxe_cm_end_event(struct rdma_cm_id *id) {
    struct rdma_cm_event *event = id->event;
    id->event = NULL;
    if (event) {
        rdma_ack_cm_event(event);
    }
}

int rxe_cm_complete(struct rxe_cm_id *id) {
    if (!id->synchronous) {
        return 0;
    }
    rxe_cm_end_event(&id->base);
    if (rxe_cm_take_event(id->base.channel, &id->base.event) != 0) {
        return -1;
    }
    int status = id->base.event->status;
    return rxe_cm_result(id->base.event->event == CM_REJECTED ? ECONNREFUSED : status);
}

PUBLIC const char *rdma_event_str(int type) {
    static const char *const NAMES[] = {
        "RDMA_CM_EVENT_ADDR_RESOLVED", "RDMA_CM_EVENT_ADDR_ERROR", "RDMA_CM_EVENT_ROUTE_RESOLVED", "RDMA_CM_EVENT_ROUTE_ERROR",
        "RDMA_CM_EVENT_CONNECT_REQUEST", "RDMA_CM_EVENT_CONNECT_RESPONSE", "RDMA_CM_EVENT_CONNECT_ERROR", "RDMA_CM_EVENT_UNREACHABLE",
        "RDMA_CM_EVENT_REJECTED", "RDMA_CM_EVENT_ESTABLISHED", "RDMA_CM_EVENT_DISCONNECTED", "RDMA_CM_EVENT_DEVICE_REMOVAL",
        "RDMA_CM_EVENT_MULTICAST_JOIN", "RDMA_CM_EVENT_MULTICAST_ERROR", "RDMA_CM_EVENT_ADDR_CHANGE", "RDMA_CM_EVENT_TIMEWAIT_EXIT",
        "RDMA_CM_EVENT_ADDRINFO_RESOLVED", "RDMA_CM_EVENT_ADDRINFO_ERROR"};
    return type >= 0 && type <= CM_ADDRINFO_ERROR ? NAMES[type] : "UNKNOWN EVENT";
}
