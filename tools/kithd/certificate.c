/* The certificate and its key, which SIGHUP reads again. Whoever shakes hands
 * gets the newest pair; those before it stay until the process ends, for
 * whoever is still shaking hands with one of them. */
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

enum { CHAIN = 16 };

typedef struct pair {
    struct pair *older;
    gnutls_pcert_st chain[CHAIN];
    unsigned count;
    gnutls_privkey_t key;
} pair;

static _Atomic(pair *) newest;

/* By a thread of libmicrohttpd, for each handshake. */
static int give_certificate(gnutls_session_t session,
                            const gnutls_datum_t *authorities,
                            int authority_count,
                            const gnutls_pk_algorithm_t *algorithms,
                            int algorithm_count, gnutls_pcert_st **chain,
                            unsigned *count, gnutls_privkey_t *key)
{
    pair *p = atomic_load(&newest);
    (void)session;
    (void)authorities;
    (void)authority_count;
    (void)algorithms;
    (void)algorithm_count;
    *chain = p->chain;
    *count = p->count;
    *key = p->key;
    return 0;
}

/* A certificate may be renewed while its key's file is still the old one. */
static int belong_together(const gnutls_datum_t *certificate,
                           const gnutls_datum_t *key)
{
    gnutls_certificate_credentials_t both;
    if (gnutls_certificate_allocate_credentials(&both))
        return 0;
    int code = gnutls_certificate_set_x509_key_mem2(
        both, certificate, key, GNUTLS_X509_FMT_PEM, NULL, 0);
    gnutls_certificate_free_credentials(both);
    return code >= 0;
}

static pair *pair_of(const gnutls_datum_t *certificate,
                     const gnutls_datum_t *key)
{
    pair *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->count = CHAIN;
    if (gnutls_pcert_list_import_x509_raw(p->chain, &p->count, certificate,
                                          GNUTLS_X509_FMT_PEM, 0)) {
        free(p);
        return NULL;
    }
    if (!gnutls_privkey_init(&p->key) &&
        !gnutls_privkey_import_x509_raw(p->key, key, GNUTLS_X509_FMT_PEM, NULL,
                                        0))
        return p;
    for (unsigned i = 0; i < p->count; i++)
        gnutls_pcert_deinit(&p->chain[i]);
    gnutls_privkey_deinit(p->key);
    free(p);
    return NULL;
}

int certificate_load(const config *c)
{
    gnutls_datum_t certificate = {0}, key = {0};
    pair *p = NULL;
    if (!gnutls_load_file(c->tls_certificate, &certificate) && c->tls_key &&
        !gnutls_load_file(c->tls_key, &key) &&
        belong_together(&certificate, &key))
        p = pair_of(&certificate, &key);
    gnutls_free(certificate.data);
    if (key.data)
        gnutls_memset(key.data, 0, key.size);
    gnutls_free(key.data);
    if (!p) {
        log_event("error", "certificate", "detail",
                  atomic_load(&newest)
                      ? "the certificate and its key cannot be read, or do not "
                        "belong together: the ones before stay in use"
                      : "the certificate and its key cannot be read, or do not "
                        "belong together",
                  NULL);
        return 0;
    }
    p->older = atomic_load(&newest);
    atomic_store(&newest, p);
    return 1;
}

void *certificate_giver(void)
{
    gnutls_certificate_retrieve_function2 *function = give_certificate;
    void *pointer;
    _Static_assert(sizeof pointer == sizeof function, "POSIX");
    memcpy(&pointer, &function, sizeof pointer);
    return pointer;
}

void certificate_forget(void)
{
    pair *p = atomic_exchange(&newest, NULL);
    while (p) {
        pair *older = p->older;
        for (unsigned i = 0; i < p->count; i++)
            gnutls_pcert_deinit(&p->chain[i]);
        gnutls_privkey_deinit(p->key);
        free(p);
        p = older;
    }
}
