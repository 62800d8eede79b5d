#include "cm.h"
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

/* rdma_getaddrinfo: the addresses of getaddrinfo, as librdmacm writes them. */

static void translate_hints(const struct rdma_addrinfo *from, struct addrinfo *to) {
    bool datagrams = from->ai_qp_type == QPT_UD || (!from->ai_qp_type && from->ai_port_space == PS_UDP);
    to->ai_flags = (from->ai_flags & RAI_PASSIVE ? AI_PASSIVE : 0) | (from->ai_flags & RAI_NUMERICHOST ? AI_NUMERICHOST : 0);
    to->ai_family = from->ai_flags & RAI_FAMILY ? from->ai_family : AF_UNSPEC;
    to->ai_socktype = datagrams ? SOCK_DGRAM : SOCK_STREAM;
}

static struct sockaddr *copy_address(const struct sockaddr *address, socklen_t length) {
    struct sockaddr *copy = calloc(1, length > sizeof(struct sockaddr_storage) ? length : sizeof(struct sockaddr_storage));
    if (copy) {
        memcpy(copy, address, length);
    }
    return copy;
}

/* Puts the address that was found where the hints want it. False without memory. */
static bool translate(const struct rdma_addrinfo *hints, const struct addrinfo *from, struct rdma_addrinfo *to) {
    bool datagrams = from->ai_socktype == SOCK_DGRAM;
    to->ai_family = from->ai_family;
    to->ai_qp_type = hints->ai_qp_type ? hints->ai_qp_type : datagrams ? QPT_UD : QPT_RC;
    to->ai_port_space = hints->ai_port_space ? hints->ai_port_space : datagrams ? PS_UDP : PS_TCP;
    struct sockaddr *address = copy_address(from->ai_addr, from->ai_addrlen);
    if (hints->ai_flags & RAI_PASSIVE) {
        to->ai_src_addr = address;
        to->ai_src_len = from->ai_addrlen;
    } else {
        to->ai_dst_addr = address;
        to->ai_dst_len = from->ai_addrlen;
    }
    return address != NULL;
}

/* Nothing to look up: the answer is what the hints have. False without memory. */
static bool repeat(const struct rdma_addrinfo *hints, struct rdma_addrinfo *to) {
    to->ai_family = hints->ai_family;
    to->ai_qp_type = hints->ai_qp_type;
    to->ai_port_space = hints->ai_port_space;
    if (hints->ai_dst_len) {
        to->ai_dst_addr = copy_address(hints->ai_dst_addr, hints->ai_dst_len);
        to->ai_dst_len = hints->ai_dst_len;
    }
    return !to->ai_dst_len || to->ai_dst_addr;
}

/* Adds the source of the hints where none was found. False without memory. */
static bool add_source(const struct rdma_addrinfo *hints, struct rdma_addrinfo *to) {
    if (!to->ai_src_len && hints->ai_src_len) {
        to->ai_src_addr = copy_address(hints->ai_src_addr, hints->ai_src_len);
        to->ai_src_len = hints->ai_src_len;
    }
    return !to->ai_src_len || to->ai_src_addr;
}

PUBLIC void rdma_freeaddrinfo(struct rdma_addrinfo *info) {
    while (info) {
        struct rdma_addrinfo *next = info->ai_next;
        free(info->ai_src_addr);
        free(info->ai_dst_addr);
        free(info);
        info = next;
    }
}

/* Answers the first address only, as librdmacm does. Returns what getaddrinfo would. */
PUBLIC int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *given, struct rdma_addrinfo **result) {
    static const struct rdma_addrinfo NO_HINTS = {.ai_port_space = PS_TCP};
    const struct rdma_addrinfo *hints = given ? given : &NO_HINTS;
    struct addrinfo wanted = {0}, *found = NULL;
    /* RoCE has no subnet administration to ask for a service. */
    int status = hints->ai_flags & RAI_SA ? EOPNOTSUPP : rxe_refusal(0, "rdma_getaddrinfo");
    if (status) {
        return rxe_cm_result(status);
    }
    translate_hints(hints, &wanted);
    status = node || service || !given ? getaddrinfo(node, service, &wanted, &found) : 0;
    if (status) {
        return status;
    }
    struct rdma_addrinfo *info = calloc(1, sizeof *info);
    bool done = info && (found ? translate(hints, found, info) : repeat(hints, info)) && add_source(hints, info);
    if (done) {
        info->ai_flags = hints->ai_flags;
    } else {
        rdma_freeaddrinfo(info);
        info = NULL;
        status = EAI_MEMORY;
    }
    if (found) {
        freeaddrinfo(found);
    }
    *result = info;
    return status;
}
