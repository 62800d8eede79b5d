/* A message there and back with libibverbs and librdmacm; docs/api.md counts its lines beside those of the same program for other APIs.
 *
 *   echo 10.0.0.1 7474           the server: answers the message of each client with itself
 *   echo 10.0.0.1 7474 TEXT      the client: prints what comes back
 */
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 4096 };

struct connection {
    struct rdma_cm_id *id;
    struct ibv_mr *region;
    struct ibv_mr *answer_region;
    char message[SIZE];
    char answer[SIZE];
};

static void check(int failed, const char *what)
{
    if (failed) {
        perror(what);
        exit(1);
    }
}

/* A receive must be posted before the peer sends. */
static void prepare(struct connection *c)
{
    c->region = rdma_reg_msgs(c->id, c->message, SIZE);
    check(c->region == NULL, "rdma_reg_msgs");
    c->answer_region = rdma_reg_msgs(c->id, c->answer, SIZE);
    check(c->answer_region == NULL, "rdma_reg_msgs");
    check(rdma_post_recv(c->id, NULL, c->answer, SIZE, c->answer_region), "rdma_post_recv");
}

static void send_message(struct connection *c, size_t length)
{
    struct ibv_wc wc;
    check(rdma_post_send(c->id, NULL, c->message, length, c->region, IBV_SEND_SIGNALED), "rdma_post_send");
    check(rdma_get_send_comp(c->id, &wc) <= 0 || wc.status != IBV_WC_SUCCESS, "rdma_get_send_comp");
}

static size_t receive_message(struct connection *c)
{
    struct ibv_wc wc;
    check(rdma_get_recv_comp(c->id, &wc) <= 0 || wc.status != IBV_WC_SUCCESS, "rdma_get_recv_comp");
    return wc.byte_len;
}

static void release(struct connection *c)
{
    rdma_disconnect(c->id);
    rdma_dereg_mr(c->region);
    rdma_dereg_mr(c->answer_region);
    rdma_destroy_ep(c->id);
}

static void serve(struct rdma_cm_id *listener)
{
    static struct connection c;
    check(rdma_listen(listener, 16), "rdma_listen");
    for (;;) {
        check(rdma_get_request(listener, &c.id), "rdma_get_request");
        prepare(&c);
        check(rdma_accept(c.id, NULL), "rdma_accept");
        size_t length = receive_message(&c);
        memcpy(c.message, c.answer, length);
        send_message(&c, length);
        release(&c);
    }
}

static void call(struct rdma_cm_id *id, const char *text)
{
    static struct connection c;
    c.id = id;
    prepare(&c);
    check(rdma_connect(id, NULL), "rdma_connect");
    size_t length = strnlen(text, SIZE);
    memcpy(c.message, text, length);
    send_message(&c, length);
    printf("%.*s\n", (int) receive_message(&c), c.answer);
    release(&c);
}

int main(int count, char **arguments)
{
    struct rdma_addrinfo hints = {.ai_port_space = RDMA_PS_TCP}, *found;
    struct ibv_qp_init_attr attributes = {.qp_type = IBV_QPT_RC, .sq_sig_all = 1,
        .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    struct rdma_cm_id *id;
    if (count < 3) {
        fprintf(stderr, "echo ADDRESS PORT [TEXT]\n");
        return 2;
    }
    if (count == 3)
        hints.ai_flags = RAI_PASSIVE;
    check(rdma_getaddrinfo(arguments[1], arguments[2], &hints, &found), "rdma_getaddrinfo");
    check(rdma_create_ep(&id, found, NULL, &attributes), "rdma_create_ep");
    rdma_freeaddrinfo(found);
    if (count == 3)
        serve(id);
    call(id, arguments[3]);
    return 0;
}
