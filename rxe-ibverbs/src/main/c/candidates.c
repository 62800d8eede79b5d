#include "address.h"
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The addresses from which the NIC of a process may take one. Each process needs its own, since all send to one UDP port: the ranks of a
 * parallel job, which have one environment, share a list.
 */

enum { LAST_LOOPBACK = 254, IPV4_BITS = 32 };

/* As "10.1.0.0/16" names it. */
struct network {
    int family;
    unsigned bits;
    uint8_t address[sizeof(struct in6_addr)];
};

/* How many ranks of a job are on this host, and how many there are, as Open MPI and MPICH tell each. */
static const struct {
    const char *here, *all;
} RANKS[] = {{"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"}, {"MPI_LOCALNRANKS", "PMI_SIZE"}};

enum { LAUNCHERS = sizeof RANKS / sizeof *RANKS };

bool rxe_is_rank(void) {
    for (int i = 0; i < LAUNCHERS; i++) {
        if (getenv(RANKS[i].here)) {
            return true;
        }
    }
    return false;
}

bool rxe_has_ranks_elsewhere(void) {
    for (int i = 0; i < LAUNCHERS; i++) {
        const char *here = getenv(RANKS[i].here), *all = getenv(RANKS[i].all);
        if (here && all && strtol(here, NULL, 10) < strtol(all, NULL, 10)) {
            return true;
        }
    }
    return false;
}

static const uint8_t *bytes_of(const struct sockaddr *address) {
    return address->sa_family == AF_INET ? (const uint8_t *)&((const struct sockaddr_in *)address)->sin_addr
        : (const uint8_t *)&((const struct sockaddr_in6 *)address)->sin6_addr;
}

static bool parse_network(const char *text, struct network *network) {
    const char *slash = strchr(text, '/');
    char address[INET6_ADDRSTRLEN], *end;
    if (!slash || slash - text >= (long)sizeof address) {
        return false;
    }
    snprintf(address, sizeof address, "%.*s", (int)(slash - text), text);
    network->family = strchr(address, ':') ? AF_INET6 : AF_INET;
    unsigned long bits = strtoul(slash + 1, &end, 10);
    network->bits = (unsigned)bits;
    return end > slash + 1 && !*end && bits <= (network->family == AF_INET ? IPV4_BITS : 8 * sizeof network->address)
        && inet_pton(network->family, address, network->address) == 1;
}

static bool is_within(const struct network *network, int family, const uint8_t *address) {
    unsigned whole = network->bits / 8, rest = network->bits % 8;
    return family == network->family && memcmp(address, network->address, whole) == 0
        && (!rest || (address[whole] ^ network->address[whole]) >> (8 - rest) == 0);
}

/* Every address of 127.0.0.0/8 is this host's, but for the first and the last of the network if it has more than two. */
static bool of_loopback(const struct network *network, unsigned place, char *text) {
    uint32_t given, hosts = network->bits < IPV4_BITS ? UINT32_MAX >> network->bits : 0;
    unsigned first = hosts > 1;
    memcpy(&given, network->address, sizeof given);
    if (place + first > hosts - first) {
        return false;
    }
    struct in_addr chosen = {htonl((ntohl(given) & ~hosts) + first + place)};
    return inet_ntop(AF_INET, &chosen, text, INET6_ADDRSTRLEN) != NULL;
}

/* Of an interface, where it is named, and of a network, where there is one. Programs can use no link-local address of IPv6 as a GID. */
static bool fits(const struct ifaddrs *one, int family, const char *name, const struct network *network) {
    return one->ifa_addr && one->ifa_addr->sa_family == family && (!name || strcmp(one->ifa_name, name) == 0)
        && (!network || is_within(network, family, bytes_of(one->ifa_addr)))
        && (family == AF_INET || !IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)one->ifa_addr)->sin6_addr));
}

/* Those of IPv4 are before those of IPv6. */
static bool of_interfaces(const struct ifaddrs *all, const char *name, const struct network *network, unsigned place, char *text) {
    static const int FAMILIES[] = {AF_INET, AF_INET6};
    for (int i = 0; i < 2; i++) {
        for (const struct ifaddrs *one = all; one; one = one->ifa_next) {
            if (fits(one, FAMILIES[i], name, network) && place-- == 0) {
                return inet_ntop(FAMILIES[i], bytes_of(one->ifa_addr), text, INET6_ADDRSTRLEN) != NULL;
            }
        }
    }
    return false;
}

/* The first interface with a network behind it; null without. */
static const char *outer_interface(const struct ifaddrs *all) {
    for (const struct ifaddrs *one = all; one; one = one->ifa_next) {
        if ((one->ifa_flags & (IFF_UP | IFF_RUNNING | IFF_LOOPBACK)) == (IFF_UP | IFF_RUNNING)
            && (fits(one, AF_INET, NULL, NULL) || fits(one, AF_INET6, NULL, NULL))) {
            return one->ifa_name;
        }
    }
    return NULL;
}

bool rxe_candidate(const char *device, unsigned place, char *text) {
    static const struct network LOOPBACK = {AF_INET, 8, {IN_LOOPBACKNET}};
    struct network network;
    struct ifaddrs *all = NULL;
    bool found = false, is_network = device && parse_network(device, &network);
    if (!device && !rxe_has_ranks_elsewhere()) {
        return place < LAST_LOOPBACK && of_loopback(&LOOPBACK, place, text);
    }
    if (is_network && network.bits >= LOOPBACK.bits && is_within(&LOOPBACK, network.family, network.address)) {
        return of_loopback(&network, place, text);
    }
    if (getifaddrs(&all) == 0) {
        const char *name = device ? device : outer_interface(all);
        found = (is_network || name) && of_interfaces(all, is_network ? NULL : name, is_network ? &network : NULL, place, text);
        freeifaddrs(all);
    }
    return found;
}
