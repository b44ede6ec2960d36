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

static void peer_name(const struct sockaddr *from, char out[SENDER_NAME])
{
    const struct sockaddr_in *v4 = (const void *)from;
    const struct sockaddr_in6 *v6 = (const void *)from;
    inet_ntop(from->sa_family,
              from->sa_family == AF_INET ? (const void *)&v4->sin_addr
                                         : (const void *)&v6->sin6_addr,
              out, SENDER_NAME);
}

void sender_name(const request *r, char out[SENDER_NAME])
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        r->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const char *proxy = r->server->config.behind_proxy;
    out[0] = 0;
    if (info && info->client_addr)
        peer_name(info->client_addr, out);
    if (!proxy || strcmp(out, proxy) != 0)
        return;
    const char *list = request_header(r, "X-Forwarded-For");
    if (!list)
        return;
    const char *last = strrchr(list, ',');
    last = last ? last + 1 : list;
    snprintf(out, SENDER_NAME, "%s", last + strspn(last, " "));
}

/* IPv4, or the /64 of IPv6; zeros: neither. 1: loopback. */
static int sender(const request *r, uint8_t out[8])
{
    char name[SENDER_NAME];
    struct in6_addr v6;
    memset(out, 0, 8);
    sender_name(r, name);
    if (inet_pton(AF_INET, name, out) == 1) {
        out[7] = 4;
        return out[0] == 127;
    }
    if (inet_pton(AF_INET6, name, &v6) != 1)
        return 0;
    memcpy(out, &v6, 8);
    return IN6_IS_ADDR_LOOPBACK(&v6) != 0;
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
