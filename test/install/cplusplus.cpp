// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user of the library in C++: owners that destroy, and an exception with the
// text of a failure. cplusplus DEVICE
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include "fmhac_inspect.h"
#include "problem.h"

namespace {

template <auto destroy> struct Destroyer {
  template <typename T> void operator()(T *object) const { destroy(object); }
};
using Context =
    std::unique_ptr<fmhac_context, Destroyer<fmhac_context_destroy>>;
using Config = std::unique_ptr<fmhac_config, Destroyer<fmhac_config_destroy>>;
using Kernel = std::unique_ptr<fmhac_kernel, Destroyer<fmhac_kernel_destroy>>;
using Plan = std::unique_ptr<fmhac_plan, Destroyer<fmhac_plan_destroy>>;
using Device =
    std::unique_ptr<fmhac_rt_device, Destroyer<fmhac_rt_device_close>>;
using Problem = std::unique_ptr<problem, Destroyer<problem_destroy>>;

void check(fmhac_status status, const std::string &text) {
  if (status != FMHAC_OK)
    throw std::runtime_error("status " + std::to_string(status) + ": " + text);
}

bool run(const char *uri) {
  char why[512] = "";
  fmhac_context *made = nullptr;
  check(fmhac_context_create_from_environment(nullptr, why, sizeof why, &made),
        why);
  const Context context(made);
  auto must = [&](fmhac_status status) {
    check(status, fmhac_last_error(context.get()));
  };
  fmhac_config *config = nullptr;
  must(fmhac_config_create_json(
      context.get(), R"({"head_dim": 64, "mask": "causal"})", &config));
  const Config owned_config(config);
  fmhac_kernel *kernel = nullptr;
  must(fmhac_compile(context.get(), config, &kernel));
  const Kernel owned_kernel(kernel);

  fmhac_rt_device *opened = nullptr;
  check(fmhac_rt_device_open_with_text(uri, why, sizeof why, &opened), why);
  const Device device(opened);
  const fmhac_problem sizes{sizeof sizes, 1, 2, 2, 90, 90, 0, 0};
  fmhac_plan *plan = nullptr;
  must(fmhac_plan_create(kernel, &sizes, &plan));
  const Plan owned_plan(plan);

  problem p{};
  const Problem owned_problem(&p);
  if (!problem_create(&p, sizes, 64, true, 5))
    throw std::bad_alloc();
  check(problem_upload(&p, device.get()), fmhac_rt_last_error(device.get()));
  must(fmhac_launch(plan, device.get(), &p.tensors, nullptr, nullptr));
  bool right = false;
  check(problem_check(&p, fmhac_kernel_get_name(kernel), &right),
        fmhac_rt_last_error(device.get()));
  return right;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return argc == 2 && run(argv[1]) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
