// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a kernel of attention that finds its work itself (work = runs) is told
/// of an item, by a function that the compiler puts into it: words of 32 bits.
/// Those of the place and from FMHAC_FIND_UNIT on are given back after the
/// item.
#ifndef FMHAC_WORK_FIND_H
#define FMHAC_WORK_FIND_H

enum {
  FMHAC_FIND_BATCH, ///< below 0: there is no item
  FMHAC_FIND_ROW_BEGIN,
  FMHAC_FIND_HEAD,
  FMHAC_FIND_KEY_BEGIN, ///< from here on of this item alone
  FMHAC_FIND_KEY_END,
  FMHAC_FIND_PART,  ///< as of a fmhac_work_item
  FMHAC_FIND_UNIT,  ///< its number
  FMHAC_FIND_START, ///< where it begins on the line
  FMHAC_FIND_NEXT,  ///< where the next one does, or the run ends
  FMHAC_FIND_END,   ///< of the run
  FMHAC_FIND_COST,  ///< of all units
  FMHAC_FIND_UNITS,
  FMHAC_FIND_PARTS, ///< FMHAC_FIND_PARTS_*
  FMHAC_FIND_RUN,   ///< its number
  FMHAC_FIND_WORDS
};

/// Of the unit's parts: the item is all, the first of several, or another.
enum { FMHAC_FIND_PARTS_ALL, FMHAC_FIND_PARTS_FIRST, FMHAC_FIND_PARTS_LATER };

/// Ends of the names of these functions, after the kernel's.
#define FMHAC_FIND_NAME_FIRST "_first_item"
#define FMHAC_FIND_NAME_NEXT "_next_item"

#endif // FMHAC_WORK_FIND_H
