// Two adjacent words that the blocks of a device share: a tile's descriptor, if one word is too
// small for it.
#pragma once

#if defined(SIMT_EMULATED)
#include "simt/emulated/atomic_pair.h"
#else
#include "simt/cuda/atomic_pair.h"
#endif
