#include "address.h"
#include "cm.h"
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What Java calls: the methods of Downcalls and CmDowncalls, which report to the objects of the program. None waits for the program. */

static jobject JNICALL buffer(JNIEnv *env, jclass class, jlong address, jlong bytes) {
    (void)class;
    return (*env)->NewDirectByteBuffer(env, (void *)(intptr_t)address, bytes);
}

/* Of HeaderReceive. */
struct header {
    union ibv_gid gid;
    int32_t port, traffic_class;
};

static int32_t traffic_class_of(struct msghdr *message) {
    for (struct cmsghdr *control = CMSG_FIRSTHDR(message); control; control = CMSG_NXTHDR(message, control)) {
        if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_TOS) {
            return *CMSG_DATA(control);
        }
        if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_TCLASS) {
            int32_t class;
            memcpy(&class, CMSG_DATA(control), sizeof class);
            return class;
        }
    }
    return 0;
}

static jint JNICALL receive(JNIEnv *env, jclass class, jint socket, jlong address, jint capacity, jlong header) {
    (void)env, (void)class;
    struct header *of = (struct header *)(intptr_t)header;
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
    } from;
    _Alignas(struct cmsghdr) char control[128];
    struct iovec room = {(void *)(intptr_t)address, (size_t)capacity};
    struct msghdr message = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &room, .msg_iovlen = 1, .msg_control = control,
        .msg_controllen = sizeof control};
    ssize_t length = recvmsg(socket, &message, MSG_DONTWAIT);
    if (length < 0) {
        return -errno;
    }
    rxe_write_gid(&from.any, &of->gid);
    of->port = ntohs(from.in.sin_port);
    of->traffic_class = traffic_class_of(&message);
    return (jint)length;
}

static void JNICALL completion(JNIEnv *env, jclass class, jlong address) {
    (void)env, (void)class;
    struct rxe_cq *cq = (struct rxe_cq *)(intptr_t)address;
    struct rxe_channel *channel = (struct rxe_channel *)cq->ex.base.channel;
    event_queue_push(&channel->events, (struct event){.element = cq, .reported = &cq->comp_reported});
}

static void push_async(struct ibv_context *context, void *element, int type, uint32_t *reported) {
    event_queue_push(&context_of(context)->async, (struct event){.element = element, .type = type, .reported = reported});
}

static void JNICALL queue_pair_event(JNIEnv *env, jclass class, jlong address, jint type) {
    (void)env, (void)class;
    struct rxe_qp *qp = (struct rxe_qp *)(intptr_t)address;
    push_async(qp->ex.qp_base.context, qp, type, &qp->async_reported);
}

static void JNICALL completion_queue_event(JNIEnv *env, jclass class, jlong address, jint type) {
    (void)env, (void)class;
    struct rxe_cq *cq = (struct rxe_cq *)(intptr_t)address;
    push_async(cq->ex.base.context, cq, type, &cq->async_reported);
}

static void JNICALL shared_queue_event(JNIEnv *env, jclass class, jlong address, jint type) {
    (void)env, (void)class;
    struct rxe_srq *srq = (struct rxe_srq *)(intptr_t)address;
    push_async(srq->base.context, srq, type, &srq->async_reported);
}

static void JNICALL device_event(JNIEnv *env, jclass class, jint nic, jint type) {
    (void)env, (void)class;
    rxe_raise_everywhere((unsigned)nic, type);
}

/* Not with exit: the threads of the program go on meanwhile, and another exit would win. */
static void JNICALL end(JNIEnv *env, jclass class, jint status) {
    (void)env, (void)class;
    fflush(stdout);
    _exit(status);
}

static void JNICALL end_events(JNIEnv *env, jclass class) {
    (void)env, (void)class;
    rxe_end_events();
}

static jboolean JNICALL run_last(JNIEnv *env, jclass class, jobject task) {
    (void)class;
    return rxe_run_last(env, task);
}

static jlong JNICALL cm_request(JNIEnv *env, jclass class, jlong listener, jint handle) {
    (void)env, (void)class;
    return ADDRESS(rxe_cm_request_id((struct rxe_cm_id *)(intptr_t)listener, handle));
}

static void JNICALL cm_event(JNIEnv *env, jclass class, jlong id, jlong listener, jint type, jint status, jlong param) {
    (void)env, (void)class;
    rxe_cm_raise((struct rxe_cm_id *)(intptr_t)id, (struct rxe_cm_id *)(intptr_t)listener, type, status, (const char *)(intptr_t)param);
}

static bool bind_natives(JNIEnv *env, const char *name, const JNINativeMethod *natives, size_t count) {
    jclass class = rxe_find_class(env, name);
    return class && (*env)->RegisterNatives(env, class, natives, (jint)count) == 0;
}

bool rxe_register_downcalls(JNIEnv *env) {
    const JNINativeMethod verbs[] = {
        {"buffer", "(JJ)Ljava/nio/ByteBuffer;", (void *)buffer},
        {"receive", "(IJIJ)I", (void *)receive},
        {"completion", "(J)V", (void *)completion},
        {"queuePairEvent", "(JI)V", (void *)queue_pair_event},
        {"completionQueueEvent", "(JI)V", (void *)completion_queue_event},
        {"sharedReceiveQueueEvent", "(JI)V", (void *)shared_queue_event},
        {"deviceEvent", "(II)V", (void *)device_event},
        {"endEvents", "()V", (void *)end_events},
        {"exit", "(I)V", (void *)end},
        {"runLast", "(Ljava/lang/Runnable;)Z", (void *)run_last},
    };
    const JNINativeMethod cm[] = {
        {"request", "(JI)J", (void *)cm_request},
        {"event", "(JJIIJ)V", (void *)cm_event},
    };
    return bind_natives(env, "io/rxe/ibverbs/Downcalls", verbs, sizeof verbs / sizeof *verbs)
        && bind_natives(env, "io/rxe/ibverbs/ProgramFaults", rxe_fault_natives, FAULT_NATIVES)
        && bind_natives(env, "io/rxe/ibverbs/CmDowncalls", cm, sizeof cm / sizeof *cm);
}
