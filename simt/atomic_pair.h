// Two words side by side that blocks of one device share: what a tile's descriptor is where one
// word is too small for it.
#pragma once

#if defined(SIMT_EMULATED)
#include "simt/emulated/atomic_pair.h"
#else
#include "simt/cuda/atomic_pair.h"
#endif
