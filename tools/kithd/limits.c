/* Token buckets by address, in a table of fixed size: an address that is not
 * there takes the place of whoever has its slot, with a fresh bucket. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "server.h"

enum { SLOTS = 16384 };

typedef struct {
    uint8_t address[8];
    int64_t at[3];
    double left[3];
} bucket;

static bucket buckets[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct {
    double each_second, burst;
} rates[] = {{1, 20}, {20, 200}, {20, 200}};

/* IPv4, or the /64 of IPv6; 1: loopback. */
static int address_of(const struct sockaddr *from, uint8_t out[8])
{
    memset(out, 0, 8);
    if (from->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const void *)from;
        memcpy(out, &v4->sin_addr, 4);
        out[7] = 4;
        return out[0] == 127;
    }
    const struct sockaddr_in6 *v6 = (const void *)from;
    memcpy(out, &v6->sin6_addr, 8);
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) != 0;
}

/* Who sent it: the peer, or whom a trusted proxy names last. */
static int sender(const request *r, uint8_t out[8])
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        r->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const char *proxy = r->server->config.behind_proxy;
    char peer[INET6_ADDRSTRLEN] = "", named[INET6_ADDRSTRLEN] = "";
    if (!info || !info->client_addr)
        return 1;
    const struct sockaddr *from = info->client_addr;
    int loopback = address_of(from, out);
    if (!proxy)
        return loopback;
    inet_ntop(
        from->sa_family,
        from->sa_family == AF_INET
            ? (const void *)&((const struct sockaddr_in *)(const void *)from)
                  ->sin_addr
            : (const void *)&((const struct sockaddr_in6 *)(const void *)from)
                  ->sin6_addr,
        peer, sizeof peer);
    const char *list = request_header(r, "X-Forwarded-For");
    if (strcmp(peer, proxy) != 0 || !list)
        return loopback;
    const char *last = strrchr(list, ',');
    last = last ? last + 1 : list;
    snprintf(named, sizeof named, "%s", last + strspn(last, " "));
    struct sockaddr_storage other = {.ss_family = AF_INET};
    if (inet_pton(AF_INET, named, &((struct sockaddr_in *)&other)->sin_addr) ==
        1)
        return address_of((const struct sockaddr *)&other, out);
    other.ss_family = AF_INET6;
    if (inet_pton(AF_INET6, named,
                  &((struct sockaddr_in6 *)&other)->sin6_addr) == 1)
        return address_of((const struct sockaddr *)&other, out);
    return 0;
}

int limit_take(const request *r, limit which, double cost)
{
    uint8_t address[8];
    int loopback = sender(r, address);
    if (loopback && !r->server->config.limit_loopback)
        return 1;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < 8; i++)
        hash = (hash ^ address[i]) * UINT64_C(0x100000001b3);
    bucket *b = &buckets[(hash ^ hash >> 32) % SLOTS];
    int64_t now = monotonic_ms();
    pthread_mutex_lock(&lock);
    if (memcmp(b->address, address, 8) != 0 || b->at[which] == 0) {
        if (memcmp(b->address, address, 8) != 0)
            memset(b, 0, sizeof *b);
        memcpy(b->address, address, 8);
        b->at[which] = now;
        b->left[which] = rates[which].burst;
    }
    b->left[which] +=
        (double)(now - b->at[which]) / 1000 * rates[which].each_second;
    if (b->left[which] > rates[which].burst)
        b->left[which] = rates[which].burst;
    b->at[which] = now;
    int fine = b->left[which] >= 1;
    if (fine)
        b->left[which] -= cost; /* a debt keeps a large body's sender waiting */
    pthread_mutex_unlock(&lock);
    return fine;
}
