# stream_compaction_extract_files(<document> <folder> <result>): writes each file that a document shows as
#   <!-- file: NAME -->
#   ```language
# to the folder, and returns the names.
function(stream_compaction_extract_files document folder result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${document})
  file(READ ${document} text)
  # CMake's lists end at semicolons, and not inside brackets.
  string(REPLACE ";" "<semicolon>" text "${text}")
  string(REPLACE "[" "<open>" text "${text}")
  string(REPLACE "]" "<close>" text "${text}")
  set(file "<!-- file: ([^ ]+) -->\n```[a-z]+\n([^`]*)```")
  string(REGEX MATCHALL "${file}" blocks "${text}")
  set(names)
  foreach(block IN LISTS blocks)
    string(REGEX MATCH "${file}" block "${block}")
    set(name "${CMAKE_MATCH_1}")
    set(content "${CMAKE_MATCH_2}")
    string(REPLACE "<semicolon>" ";" content "${content}")
    string(REPLACE "<open>" "[" content "${content}")
    string(REPLACE "<close>" "]" content "${content}")
    file(CONFIGURE OUTPUT ${folder}/${name} CONTENT "@content@" @ONLY)
    list(APPEND names ${name})
  endforeach()
  set(${result} ${names} PARENT_SCOPE)
endfunction()
