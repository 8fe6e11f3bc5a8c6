# embed_texts(OUTPUT FOLDER NAMES): writes a source with the texts of the named files, for embedded_text.hpp.
function(embed_texts output folder names)
  set(rows "")
  foreach(name IN LISTS names)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${name})
    file(READ ${folder}/${name} text)
    string(APPEND rows "    {\"${name}\", R\"fovea_text(${text})fovea_text\"},\n")
  endforeach()
  file(
    CONFIGURE
    OUTPUT ${output}
    CONTENT
      "#include \"embedded_text.hpp\"

namespace tool {

std::span<const embedded_text> embedded_texts() {
  static constexpr embedded_text all[] = {
@rows@  };
  return all;
}

} // namespace tool
"
    @ONLY
  )
endfunction()
