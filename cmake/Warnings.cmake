# Warnings are errors in our own code, with the compilers we know: not in somebody else's build, whose
# compiler may warn of what ours do not. Generated and foreign code is compiled without them.
find_program(RELAYER_CCACHE ccache)
if(RELAYER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${RELAYER_CCACHE}")
endif()

if(RELAYER_SANITIZE)
  add_compile_options(-fsanitize=${RELAYER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -O1)
  add_link_options(-fsanitize=${RELAYER_SANITIZE})
endif()

function(relayer_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees overlapping copies in "text" + std::string(...) that are not there (its bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
endfunction()
