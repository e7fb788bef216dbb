#include "src/input/key_file.h"

#include "src/command_line/usage_error.h"
#include "src/program/file_error.h"
#include "src/program/host_memory.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace stream_compaction {
namespace {

static_assert(std::endian::native == std::endian::little, "the bytes are those of int32");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kZipMagic = "PK\x03\x04";  // of .npz, whatever it is called

/// The least memory of a program: the keys of the file, the input, the output, the expected output.
constexpr std::size_t kBytesPerKey = 4 * sizeof(int);

/// A file that is read sequentially.
class Reader {
  public:
    explicit Reader(const std::string& path) : path_(path) {
        std::error_code error;
        const auto status = std::filesystem::status(path, error);
        if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
            fail("is not a regular file");
        file_.open(path, std::ios::binary);
        if (!file_) fail(std::string("cannot be read: ") + std::strerror(errno));
        left_ = std::filesystem::file_size(path, error);
        if (error) fail("cannot be read: " + error.message());
        // A file of /proc is regular and has no size, but has content or cannot be read.
        if (left_ == 0 && (file_.peek() != std::ifstream::traits_type::eof() || file_.bad()))
            fail("is not a regular file");
        file_.clear();
    }

    std::uintmax_t left() const { return left_; }

    void read(void* to, std::size_t bytes) {
        if (bytes > 0 && !file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
            fail("cannot be read to its end");
        left_ -= bytes;
    }

    std::string read_text(std::size_t bytes) {
        if (bytes > left_) fail("ends within its header");
        std::string text(bytes, '\0');
        read(text.data(), bytes);
        return text;
    }

    /// Whether the rest begins with these characters, which are then skipped.
    bool skip(std::string_view text) {
        if (left_ < text.size()) return false;
        if (read_text(text.size()) == text) return true;
        file_.seekg(0);
        left_ += text.size();
        return false;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw FileError("--distribution: " + in_quotes(path_) + ' ' + what);
    }

  private:
    const std::string& path_;
    std::ifstream file_;
    std::uintmax_t left_ = 0;
};

/// A header's Python literals, without spaces around them and with single quotes.
std::string without_spaces(std::string_view header) {
    std::string compact;
    char quote = 0;
    for (const char character : header) {
        const bool is_quote = character == '\'' || character == '"';
        if (quote == 0 && std::isspace(static_cast<unsigned char>(character)) != 0) continue;
        if (is_quote && (quote == 0 || quote == character)) {
            quote = quote == 0 ? character : 0;
            compact += '\'';
        } else {
            compact += character;
        }
    }
    return compact;
}

/// The number of characters up to the comma or brace behind a Python literal; npos without one.
std::size_t length_of_literal(std::string_view text) {
    bool is_quoted = false;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\'') is_quoted = !is_quoted;
        if (is_quoted) continue;
        if (depth == 0 && (text[i] == ',' || text[i] == '}')) return i;
        if (std::string_view("([{").find(text[i]) != std::string_view::npos) ++depth;
        if (std::string_view(")]}").find(text[i]) != std::string_view::npos) --depth;
    }
    return std::string_view::npos;
}

/// The text after 'name': in a header such as {'descr':'<i4','shape':(5,),}, up to the comma after
/// it; or empty.
std::string_view value_of(std::string_view name, std::string_view header, const Reader& file) {
    const std::string key = "'" + std::string(name) + "':";
    const std::size_t found = header.find(key);
    if (found == std::string_view::npos) return {};
    if (header.rfind(key) != found) file.fail("has " + in_quotes(name) + " twice in its header");
    std::string_view value = header.substr(found + key.size());
    const std::size_t end = length_of_literal(value);
    if (end == std::string_view::npos) return {};
    value = value.substr(0, end);
    const bool is_quoted = value.size() >= 2 && value.front() == '\'' && value.back() == '\'';
    return is_quoted ? value.substr(1, value.size() - 2) : value;
}

/// The number in "(5,)".
std::optional<std::size_t> length_of(std::string_view shape) {
    if (!shape.starts_with('(') || !shape.ends_with(",)")) return std::nullopt;
    const std::string_view digits = shape.substr(1, shape.size() - 3);
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return length;
}

/// Reads the header, and returns the number of keys that it promises.
std::size_t read_npy_header(Reader& file) {
    const auto version = static_cast<unsigned char>(file.read_text(2).front());
    if (version != 1 && version != 2)
        file.fail("has .npy version " + std::to_string(version) + "; supported are 1 and 2");
    std::size_t bytes = 0;
    const std::string length = file.read_text(version == 1 ? 2 : 4);
    std::memcpy(&bytes, length.data(), length.size());
    const std::string header = without_spaces(file.read_text(bytes));

    if (const auto type = value_of("descr", header, file); type != "<i4")
        file.fail("has elements of type " + in_quotes(type) + ", not '<i4', little-endian int32");
    const std::string_view shape = value_of("shape", header, file);
    const auto keys = length_of(shape);
    if (!keys) file.fail("has shape " + in_quotes(shape) + ", not one axis");
    if (value_of("fortran_order", header, file) != "False") file.fail("is not in C order");
    return *keys;
}

}  // namespace

KeyFile::KeyFile(std::string path, std::size_t most) : path_(std::move(path)) {
    Reader file(path_);
    if (file.skip(kMagic)) {
        size_ = read_npy_header(file);
        if (size_ > file.left() / sizeof(int))
            file.fail("ends after " + std::to_string(file.left() / sizeof(int)) + " of its " +
                      std::to_string(size_) + " keys");
        if (const auto surplus = file.left() - size_ * sizeof(int); surplus > 0)
            file.fail("has " + std::to_string(surplus) + (surplus == 1 ? " byte" : " bytes") +
                      " after its " + std::to_string(size_) + (size_ == 1 ? " key" : " keys"));
    } else {
        if (path_.ends_with(".npz") || file.skip(kZipMagic))
            file.fail("is an archive; extract a .npy file from it");
        if (path_.ends_with(".npy")) file.fail("is not a .npy file");
        if (file.left() % sizeof(int) != 0)
            file.fail("has a size of " + std::to_string(file.left()) +
                      " bytes, which is not a multiple of 4");
        size_ = file.left() / sizeof(int);
    }
    require_host_memory(std::min(size_, most), kBytesPerKey, "--distribution", "file:" + path_);
    keys_.resize(std::min(size_, most));
    file.read(keys_.data(), keys_.size() * sizeof(int));
}

}  // namespace stream_compaction
