#include "views/notices.h"

#include <array>
#include <utility>

namespace relayer::views
{
namespace
{
using Words = std::pair<std::string_view, std::string_view>;

constexpr std::array<Words, 5> kDone = {{
    {"fail", "The request has failed, as you said."},
    {"dispatch", "It waits in the queue before the chain again."},
    {"resubmit", "This is the new request with the same content."},
    {"set", "The setting is in force."},
    {"join_removed", "They wait no more. Who asks again, waits again."},
}};
constexpr std::array<Words, 4> kRefused = {{
    {"wrong_state", "Nothing was done: its state does not allow that any more."},
    {"transaction_on_its_way",
     "Nothing was done: a transaction of it may still be mined, and another would double it."},
    {"nobody_waits", "Nothing was done: nobody of that address is waiting any more."},
    {"content_in_use", "Nothing was done: another request stands for this content now."},
}};

template <std::size_t Size>
std::string wordsFor(const std::array<Words, Size> &list, std::string_view code)
{
    for (const auto &[name, text] : list)
    {
        if (name == code)
        {
            return std::string(text);
        }
    }
    return {};
}
}  // namespace

void setNotice(Frame &frame, std::string_view done, std::string_view refused)
{
    frame.notice = wordsFor(kDone, done);
    if (frame.notice.empty())
    {
        frame.notice = wordsFor(kRefused, refused);
        frame.noticeIsBad = !frame.notice.empty();
    }
}
}  // namespace relayer::views
