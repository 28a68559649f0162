// What became of a form, said on the page that comes after it. The address carries a word of a
// fixed list and nothing else, so that a link can not put words into our mouth.
#pragma once

#include "views/pages.h"

#include <string_view>

namespace relayer::views
{
// What was done, or why it was refused; empty: nothing. Words that are not known say nothing.
void setNotice(Frame &frame, std::string_view done, std::string_view refused);
}  // namespace relayer::views
