#include "support/mutations.h"

#include <array>
#include <string_view>
#include <utility>

namespace relayer::test
{
namespace
{
using std::string_view_literals::operator""sv;

constexpr std::array kPieces = {"\""sv,
                                "{"sv,
                                "}"sv,
                                "["sv,
                                "]"sv,
                                ","sv,
                                ":"sv,
                                "null"sv,
                                "true"sv,
                                "0x"sv,
                                "\\u0000"sv,
                                "\\ud800"sv,
                                "-1"sv,
                                "1e9999"sv,
                                "\"extraData\":"sv,
                                "99999999999999999999999999"sv,
                                "\xC3"sv,
                                "\0"sv,
                                "\\"sv,
                                "[[[[[[[["sv,
                                "{\"a\":{\"a\":{\"a\":"sv,
                                "\"0x00\""sv};
}  // namespace

std::string Mutations::of(std::string body)
{
    const unsigned changes = 1 + random_() % 4;
    for (unsigned i = 0; i < changes && !body.empty(); ++i)
    {
        const std::size_t at = random_() % body.size();
        const std::size_t length = random_() % 12;
        switch (random_() % 7)
        {
            case 0: body[at] = static_cast<char>(random_()); break;
            case 1: body.insert(at, kPieces[random_() % kPieces.size()]); break;
            case 2: body.erase(at, length); break;
            case 3: body.insert(at, std::string(body.substr(at, length))); break;
            case 4: body.resize(at); break;
            // A digit for a digit: mostly still a right body, and another request.
            case 5:
                body[at] = body[at] >= '0' && body[at] <= '9'
                               ? static_cast<char>('0' + random_() % 10)
                               : body[at];
                break;
            default: std::swap(body[at], body[random_() % body.size()]); break;
        }
    }
    return body;
}
}  // namespace relayer::test
