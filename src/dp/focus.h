/* focus.c: look at a few features of the records as if they were all. */
#ifndef KITH_FOCUS_H
#define KITH_FOCUS_H

#include "dp_i.h"

/* A view of q features (public, increasing) of the records, dense, with the
 * bounds that the records have in them and 0 for the origin; lattice steps per
 * unit as of the view's domain. Costs nothing. Freed with the session. */
kith_status kith_i_view_features(kith_session *session,
                                 const uint32_t *features, uint32_t q,
                                 const kith_i_view **out, kith_error *err);

/* Until it is called with NULL, the view's rows are the session's records:
 * domain, releases and further views are of them. Views opened meanwhile must
 * not be used afterwards. */
void kith_i_session_focus(kith_session *session, const kith_i_view *view);

#endif
