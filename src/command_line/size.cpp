#include "src/command_line/size.h"

#include "src/command_line/usage_error.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace stream_compaction {
namespace {

/// Parses from left to right. Intermediate values may exceed the largest size: 2^64-1.
class SizeParser {
  public:
    explicit SizeParser(std::string_view text) : text_(text), rest_(text) {}

    std::size_t parse() {
        Wide value = product();
        while (!rest_.empty()) {
            if (take('+')) {
                if (__builtin_add_overflow(value, product(), &value)) fail("is too large");
            } else if (take('-')) {
                if (__builtin_sub_overflow(value, product(), &value)) fail("is negative");
            } else {
                fail("is not a size");
            }
        }
        if (value > std::numeric_limits<std::size_t>::max()) fail("is too large");
        return static_cast<std::size_t>(value);
    }

  private:
    __extension__ using Wide = unsigned __int128;

    Wide product() {
        Wide value = power();
        while (take('*')) value = multiply(value, power());
        return value;
    }

    Wide power() {
        const Wide base = decimal();
        return take('^') ? scale(1, base, integer()) : base;
    }

    /// "12", "1e6", "1.5e6"
    Wide decimal() {
        Wide value = integer();
        std::string_view fraction;
        if (take('.')) {
            fraction = digits();
            while (fraction.ends_with('0')) fraction.remove_suffix(1);
        }
        Wide exponent = 0;
        if (take('e') || take('E')) {
            if (rest_.starts_with('-')) fail("is not written as a whole number");
            take('+');
            exponent = integer();
        }
        if (fraction.size() > exponent) fail("is not whole");
        for (const char digit : fraction) value = append(value, digit);
        return scale(value, 10, exponent - fraction.size());
    }

    Wide integer() {
        Wide value = 0;
        for (const char digit : digits()) value = append(value, digit);
        return value;
    }

    /// At least one digit.
    std::string_view digits() {
        const std::string_view taken =
            rest_.substr(0, std::min(rest_.find_first_not_of("0123456789"), rest_.size()));
        if (taken.empty()) fail(is_negative(rest_) ? "is negative" : "is not a size");
        rest_.remove_prefix(taken.size());
        return taken;
    }

    static bool is_negative(std::string_view text) {
        return text.starts_with('-') && text.find_first_of("0123456789") == 1;
    }

    bool take(char character) {
        if (!rest_.starts_with(character)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    Wide append(Wide value, char digit) const {
        value = multiply(value, 10);
        if (__builtin_add_overflow(value, static_cast<Wide>(digit - '0'), &value))
            fail("is too large");
        return value;
    }

    Wide multiply(Wide a, Wide b) const {
        Wide value = 0;
        if (__builtin_mul_overflow(a, b, &value)) fail("is too large");
        return value;
    }

    /// value * base^exponent
    Wide scale(Wide value, Wide base, Wide exponent) const {
        // These never overflow, so the loop would run as often as the exponent says.
        if (exponent == 0 || value == 0) return value;
        if (base <= 1) return value * base;
        for (; exponent > 0; --exponent) value = multiply(value, base);
        return value;
    }

    [[noreturn]] void fail(std::string_view reason) const {
        throw std::invalid_argument(in_quotes(text_) + ' ' + std::string(reason) + ", expected " +
                                    std::string(kLegalSizes));
    }

    std::string_view text_;
    std::string_view rest_;
};

}  // namespace

std::size_t parse_size(std::string_view text) { return SizeParser(text).parse(); }

}  // namespace stream_compaction
