// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Recipes: the order of instruction classes in the stages of a pipeline, and
/// how they are written.
#ifndef FMHA_RECIPE_H
#define FMHA_RECIPE_H

#include "FmhaDialect.h"

namespace mlir::fmha {

/// `4 x [mfma 1, trans 3]`, `[mfma 1, trans 2 1 0, valu 0 2 5]`: so many times
/// a table, whose rows count the instructions of a class in each of its
/// columns; a row with one count has it in every column.
ParseResult parseTable(AsmParser &parser, int64_t &repeat,
                       SmallVector<SchedClass> &classes,
                       SmallVector<int64_t> &counts);
void printTable(AsmPrinter &printer, int64_t repeat,
                ArrayRef<SchedClass> classes, ArrayRef<int64_t> counts);

/// `[4 x [mfma 1, trans 3], [mfma 1]]`
ParseResult parseGroups(AsmParser &parser, SmallVector<SchedGroupAttr> &groups);
void printGroups(AsmPrinter &printer, ArrayRef<SchedGroupAttr> groups);

/// `@scores [4 x [mfma 1, trans 3]], @v_in [[ds_read 12]]`
ParseResult parseStageRecipes(AsmParser &parser,
                              SmallVector<StageRecipeAttr> &stages);
void printStageRecipes(AsmPrinter &printer, ArrayRef<StageRecipeAttr> stages);

/// Bounds the instructions of all groups of a stage together.
LogicalResult verifyLength(EmitError emitError, FlatSymbolRefAttr stage,
                           ArrayRef<SchedGroupAttr> groups);

/// The class of `groups` that no step of `steps` makes, if there is one.
std::optional<SchedClass> foreignClass(ArrayRef<StepAttr> steps,
                                       ArrayRef<SchedGroupAttr> groups);

/// The schedule with the groups of `recipe` in those stages that have none of
/// their own, and without a reference. Null, with a diagnostic, if the recipe
/// names a stage that is not there, or classes that a stage does not have.
ScheduleAttr applyRecipe(ScheduleAttr schedule, RecipeAttr recipe,
                         EmitError emitError);

/// The reverse: the groups of all stages as a recipe, and a schedule that
/// refers to it by `name`. Null recipe: no stage has any.
std::pair<ScheduleAttr, RecipeAttr> splitRecipe(ScheduleAttr schedule,
                                                FlatSymbolRefAttr name);

} // namespace mlir::fmha

#endif // FMHA_RECIPE_H
