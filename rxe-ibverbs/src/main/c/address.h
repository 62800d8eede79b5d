/* The addresses of the NICs of this process, and what the kernel says about them. */
#ifndef RXE_ADDRESS_H
#define RXE_ADDRESS_H

#include "abi.h"
#include <stdbool.h>
#include <sys/socket.h>

/* How many there are: RXE_DEV has a word for each, with commas between them; without it there is one. Their numbers are from 0 on. */
unsigned rxe_nic_count(void);
/*
 * Chooses the address of each NIC: the first that no other uses of those its word in RXE_DEV names (an address, an interface or a
 * network), else of 127.0.0.1 to 127.0.0.254, or of an interface where a parallel job has ranks on other hosts. Holds them, but not over a
 * fork before the NICs start. 0, or an errno after a sentence.
 */
int rxe_claim_addresses(void);
/* candidates.c: writes the address at a place in the list that an interface, a network or null (nothing named) stands for. False behind. */
bool rxe_candidate(const char *device, unsigned place, char *text);
/* Whether this process is a rank of a parallel job (MPI, OpenSHMEM), and whether some of its ranks are on other hosts. */
bool rxe_is_rank(void);
bool rxe_has_ranks_elsewhere(void);
/* holder.c: writes " (process 123, rping)" for the one that has a UDP port at an IPv4 address; nothing where that is not known. */
void rxe_describe_holder(const char *address, unsigned port, char *text, size_t size);
/* Whether that one can be seen, and was not killed. */
bool rxe_is_holder_alive(const char *address, unsigned port);
/*
 * Chooses the address a program binds to, unless RXE_DEV names one, one was chosen before, or it is of any or no host: then as
 * rxe_claim_addresses. 0, or an errno after a sentence.
 */
int rxe_claim_bound_address(const struct sockaddr *bound);
/* Whether an address is no particular one. As to rdma_cm, one of loopback is none, unless a NIC itself is on loopback. */
bool rxe_is_any_address(const struct sockaddr *address);
/*
 * Before a program connects to a peer: an address of loopback that is not decided yet becomes another than the peer's. Two processes on one
 * address of loopback, which is possible with a kernel, so become two NICs.
 */
void rxe_avoid_address(const struct sockaddr *peer);
/* In the same spirit, a source on loopback without a port, which names no service, becomes the address that was chosen. */
void rxe_replace_source(struct sockaddr_storage *source);
/* Before the NICs start: what was chosen for those that were opened stays from now on. */
void rxe_fix_addresses(void);
/* The address of a NIC, for its start. */
const char *rxe_address_of(unsigned nic);
/* Which of several NICs is at an address; which has the source address or the interface of the way to a peer. The first if none. */
unsigned rxe_nic_at(const struct sockaddr *address);
unsigned rxe_nic_towards(const struct sockaddr *peer);
/* Writes the GID of an IPv4 or IPv6 address. */
void rxe_write_gid(const struct sockaddr *address, union ibv_gid *gid);
/* The GID of the address of a NIC: of the one chosen, else of the one that would be tried first. 0, or an errno. */
int rxe_gid(unsigned nic, union ibv_gid *gid);
/* The EUI-64 that connection management sends, in network order; derived from the GID as Gid.adapterGuid does. */
uint64_t rxe_guid(const union ibv_gid *gid);
/* The interface of an address: its index, 0 if there is none; whether it is up; the code (ibv_mtu) of the largest path MTU it carries. */
struct rxe_port {
    unsigned interface_index;
    bool up;
    int mtu;
};
struct rxe_port rxe_find_port(const union ibv_gid *gid);

#endif
