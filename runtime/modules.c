/* SPDX-License-Identifier: MIT */
/* The table of modules; see modules.h. */
#include "runtime/modules.h"

void fsr_modules_init(fsr_modules *table) {
    pthread_mutex_init(&table->lock, NULL);
    pthread_cond_init(&table->settled, NULL);
}

void fsr_modules_clear(fsr_modules *table) {
    for (int i = 0; i < FSR_MODULE_BUCKETS; ++i)
        while (table->bucket[i]) {
            fsr_loaded *m = table->bucket[i];
            table->bucket[i] = m->next;
            table->drop(table->user, m);
        }
    pthread_cond_destroy(&table->settled);
    pthread_mutex_destroy(&table->lock);
}

/* ---- under the lock ----------------------------------------------------------------------------------------- */

static fsr_loaded **bucket_of(fsr_modules *table, const fsr_loaded *m) {
    return &table->bucket[m->hash % FSR_MODULE_BUCKETS];
}

static fsr_loaded *find(fsr_modules *table, const fsr_loaded *m) {
    fsr_loaded *at = *bucket_of(table, m);
    while (at && (at->hash != m->hash || !table->same(at, m)))
        at = at->next;
    return at;
}

static void remove_bucket(fsr_modules *table, fsr_loaded *m) {
    fsr_loaded **at = bucket_of(table, m);
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    --table->n;
}

static void remove_idle(fsr_modules *table, fsr_loaded *m) {
    *(m->newer ? &m->newer->older : &table->newest) = m->older;
    *(m->older ? &m->older->newer : &table->oldest) = m->newer;
}

static void add_idle(fsr_modules *table, fsr_loaded *m) {
    m->newer = NULL;
    m->older = table->newest;
    *(m->older ? &m->older->newer : &table->oldest) = m;
    table->newest = m;
}

/* Takes out those that nobody holds until `limit` are left; a list by `next`. */
static fsr_loaded *beyond(fsr_modules *table, int limit) {
    fsr_loaded *list = NULL;
    while (table->n > limit && table->oldest) {
        fsr_loaded *m = table->oldest;
        remove_idle(table, m);
        remove_bucket(table, m);
        m->next = list;
        list = m;
    }
    return list;
}

static fsr_loaded *surplus(fsr_modules *table) {
    return beyond(table, table->limit);
}

/* ---- without it --------------------------------------------------------------------------------------------- */

static void drop_list(fsr_modules *table, fsr_loaded *list) {
    while (list) {
        fsr_loaded *m = list;
        list = m->next;
        table->drop(table->user, m);
    }
}

fsr_loaded *fsr_modules_take(fsr_modules *table, fsr_loaded *m) {
    fsr_loaded *found, *over = NULL;
    pthread_mutex_lock(&table->lock);
    while ((found = find(table, m)) != NULL && found->building)
        pthread_cond_wait(&table->settled, &table->lock);
    if (found) {
        if (found->refs++ == 0)
            remove_idle(table, found);
    } else {
        m->building = true;
        m->refs = 1;
        m->next = *bucket_of(table, m);
        *bucket_of(table, m) = m;
        ++table->n;
        over = surplus(table);
    }
    pthread_mutex_unlock(&table->lock);
    drop_list(table, over);
    return found;
}

void fsr_modules_settle(fsr_modules *table, fsr_loaded *m, bool built) {
    pthread_mutex_lock(&table->lock);
    m->building = false;
    if (!built)
        remove_bucket(table, m);
    pthread_cond_broadcast(&table->settled);
    pthread_mutex_unlock(&table->lock);
}

void fsr_modules_release(fsr_modules *table, fsr_loaded *m) {
    fsr_loaded *over = NULL;
    pthread_mutex_lock(&table->lock);
    if (--m->refs == 0) {
        add_idle(table, m);
        over = surplus(table);
    }
    pthread_mutex_unlock(&table->lock);
    drop_list(table, over);
}

fsr_loaded *fsr_modules_find(fsr_modules *table, const fsr_loaded *m) {
    pthread_mutex_lock(&table->lock);
    fsr_loaded *found = find(table, m);
    if (found && found->building)
        found = NULL;
    if (found && found->refs++ == 0)
        remove_idle(table, found);
    pthread_mutex_unlock(&table->lock);
    return found;
}

int fsr_modules_trim(fsr_modules *table) {
    int n = 0;
    pthread_mutex_lock(&table->lock);
    fsr_loaded *idle = beyond(table, 0);
    pthread_mutex_unlock(&table->lock);
    for (const fsr_loaded *m = idle; m; m = m->next)
        ++n;
    drop_list(table, idle);
    return n;
}

int fsr_modules_count(fsr_modules *table, bool (*which)(const fsr_loaded *m)) {
    pthread_mutex_lock(&table->lock);
    int n = which ? 0 : table->n;
    for (int i = 0; which && i < FSR_MODULE_BUCKETS; ++i)
        for (const fsr_loaded *m = table->bucket[i]; m; m = m->next)
            n += !m->building && which(m);
    pthread_mutex_unlock(&table->lock);
    return n;
}

bool fsr_modules_crowded(fsr_modules *table) {
    return fsr_modules_count(table, NULL) > table->limit;
}
