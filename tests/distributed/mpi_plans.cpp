// Run under mpirun: several plans of each process are alive at once, and each process destroys them
// in another order. Their results must be right, and the memory that they have shared must be
// released. All processes use the same GPU. Ends with 77 if there is none.
#include "stream_compaction/distributed/mpi.h"

#include "simt/device.h"
#include "simt/memory.h"
#include "stream_compaction/distributed/shareable.h"

#include <cstddef>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

using distributed::Communicator;

void require(bool is_true, const std::string& what) {
    if (!is_true) throw std::runtime_error(what);
}

/// A plan for parts of n elements, and how to call it.
struct Plan {
    virtual ~Plan() = default;
    virtual void call() = 0;
};

/// The elements of all ranks are ones.
class ScanPlan final : public Plan {
  public:
    ScanPlan(std::size_t n, Communicator& ranks) : n_(n), ranks_(ranks), scan_(n, ranks) {}

    void call() override {
        const simt::DeviceArray<int> in(std::vector<int>(n_, 1));
        simt::DeviceArray<int> out(n_);
        scan_.enqueue(in.data(), out.data(), n_);
        std::vector<int> got(n_);
        out.copy_to(got);
        for (std::size_t i = 0; i < n_; ++i)
            require(got[i] == static_cast<int>(ranks_.rank() * n_ + i), "a wrong scan");
    }

  private:
    std::size_t n_;
    Communicator& ranks_;
    distributed::Scan scan_;
};

/// The keys of all ranks are the numbers below their sum, in another order.
class SortPlan final : public Plan {
  public:
    SortPlan(std::size_t n, Communicator& ranks) : n_(n), ranks_(ranks), sort_(n, n, ranks) {}

    void call() override {
        constexpr std::size_t kStride = 100'003;  // a prime: it divides no number of keys here
        std::vector<int> keys(n_);
        for (std::size_t i = 0; i < n_; ++i)
            keys[i] = static_cast<int>((ranks_.rank() * n_ + i) * kStride % (ranks_.size() * n_));
        const simt::DeviceArray<int> in(keys);
        simt::DeviceArray<int> out(n_);
        sort_.enqueue(in.data(), n_, out.data(), n_);
        out.copy_to(keys);
        for (std::size_t i = 0; i < n_; ++i)
            require(keys[i] == static_cast<int>(ranks_.rank() * n_ + i), "a wrong sort");
    }

  private:
    std::size_t n_;
    Communicator& ranks_;
    distributed::Sort<int> sort_;
};

void use_plans(Communicator& ranks) {
    const bool stores = !ranks.share(distributed::shareable<int>(1)).empty();
    (void)ranks.all_gather({});
    const std::size_t held_before = simt::held_bytes();
    std::vector<std::unique_ptr<Plan>> plans;
    const auto add_plans = [&] {
        for (const std::size_t n : {700u, 20'000u}) {
            plans.push_back(std::make_unique<ScanPlan>(n, ranks));
            plans.push_back(std::make_unique<SortPlan>(n, ranks));
        }
    };
    add_plans();
    for (int round = 0; round < 2; ++round)
        for (const auto& plan : plans) plan->call();
    // The first rank keeps the last two plans, the others the first two.
    const auto first = ranks.rank() == 0 ? plans.begin() : plans.begin() + 2;
    plans.erase(first, first + 2);
    const std::size_t rest = plans.size();
    add_plans();
    for (std::size_t i = rest; i < plans.size(); ++i) plans[i]->call();
    plans.clear();
    (void)ranks.all_gather({});
    require(simt::held_bytes() == held_before,
            "memory is held after all plans have been destroyed");
    if (ranks.rank() == 0)
        std::cout << "all plans are right, by " << (stores ? "stores" : "messages") << std::endl;
}

}  // namespace
}  // namespace stream_compaction

int main() {
    using namespace stream_compaction;
    if (const auto reason = simt::unavailable_reason()) {
        std::cout << *reason << std::endl;
        return 77;
    }
    try {
        distributed::run_process(
            [](const distributed::Process& process) { use_plans(process.ranks); });
    } catch (const std::exception& error) {
        std::cout << error.what() << std::endl;
        return 3;
    }
}
