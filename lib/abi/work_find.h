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

/// What it is told of the parts of a unit that several share, with the words of
/// an item.
enum {
  FMHAC_PARTS_COUNT, ///< 2 or more
  FMHAC_PARTS_OWN,   ///< which the item is, from 0
  FMHAC_PARTS_TILE,  ///< of the rows of parts, where those of part 0 are: those
                     ///< of part n are n tiles further
  FMHAC_PARTS_ROWS,  ///< of the unit
  FMHAC_PARTS_IS_LATER, ///< the workgroup may have had items before; else 0
  FMHAC_PARTS_WORDS
};

/// Of more parts so many neighbours become one first, then as many of those.
/// Neighbours 0 to AT_ONCE - 1, AT_ONCE to ... belong together; of level n,
/// from 0 on, those whose numbers are multiples of AT_ONCE to the n. How many
/// of them have come, the counter of the tile of the first one says, plus n.
enum {
  FMHAC_PARTS_AT_ONCE_BITS = 3,
  FMHAC_PARTS_AT_ONCE = 1 << FMHAC_PARTS_AT_ONCE_BITS
};

/// Ends of the names of these functions, after the kernel's.
#define FMHAC_FIND_NAME_FIRST "_first_item"
#define FMHAC_FIND_NAME_NEXT "_next_item"
#define FMHAC_FIND_NAME_PARTS "_parts_of_item"

#endif // FMHAC_WORK_FIND_H
