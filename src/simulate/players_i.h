/* Inside the players: players.c joins devices, play_round.c lets them answer.
 */
#ifndef KITH_PLAYERS_I_H
#define KITH_PLAYERS_I_H

#include "noise/entropy.h"
#include "task_run.h"

struct kith_players {
    const kith_task *task;
    const kith_dataset *data;
    kith_players_options opt;
    uint8_t key[32];
    uint64_t count;
    kith_device *devices;
    uint64_t questions; /* of the rounds read so far */
};

/* Its secret half of the draw first, then those of its one answer. */
typedef struct {
    const kith_players *players;
    uint64_t row;
    int joining;
    kith_i_entropy *entropy;
} kith_i_player_coins;

/* What a player's device runs on; coins: borrowed while it is used. */
kith_device_host kith_i_player_host(const kith_players *players,
                                    kith_i_player_coins *coins);

#endif
