/* kith: differentially private clustering. The one supported include. */
#ifndef KITH_KITH_H
#define KITH_KITH_H

#include "kith/bounds.h"
#include "kith/budget.h"
#include "kith/cluster.h"
#include "kith/data.h"
#include "kith/device.h"
#include "kith/fit.h"
#include "kith/ledger.h"
#include "kith/local.h"
#include "kith/model.h"
#include "kith/plain.h"
#include "kith/quality.h"
#include "kith/status.h"
#include "kith/subspace.h"
#include "kith/task.h"
#include "kith/team.h"
#include "kith/version.h"

#endif
