// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_INLINECLUSTERSPASS
#include "Passes.h.inc"

namespace {

struct InlineClusters : impl::InlineClustersPassBase<InlineClusters> {
  void runOnOperation() override {
    SmallVector<ClusterOp> clusters;
    getOperation().walk([&](ClusterOp op) { clusters.push_back(op); });
    for (ClusterOp cluster : clusters) {
      OpBuilder b(cluster);
      auto wall = WallOp::create(b, cluster.getLoc());
      wall->setDiscardableAttr(kStageAttr, cluster.getStageAttr());
      Block &body = cluster.getBody().front();
      auto yield = cast<YieldOp>(body.back());
      cluster.replaceAllUsesWith(yield.getValues());
      yield.erase();
      cluster->getBlock()->getOperations().splice(cluster->getIterator(),
                                                  body.getOperations());
      WallOp::create(b, cluster.getLoc());
      cluster.erase();
    }
  }
};
} // namespace
} // namespace mlir::fmha
