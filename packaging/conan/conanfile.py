"""The library as a Conan package: `conan create packaging/conan`. The source is the tree in which this recipe lies."""

import pathlib
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy

FILES = ["CMakeLists.txt", "LICENSE", "packaging/single_header.cmake"]
FOLDERS = ["backends", "base", "cmake", "dsl", "include", "library", "models", "mpi", "programs", "runtime", "weights"]


class Fovea(ConanFile):
    name = "fovea"
    description = "Attention models declared, checked and lowered by the C++ compiler"
    license = "MIT"
    topics = ("attention", "transformers", "simd", "constexpr")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    # What the library is tested with: xtensor without xsimd in its own loops, fmt as headers.
    default_options = {"boost/*:header_only": True, "fmt/*:header_only": True, "xtensor/*:xsimd": False}

    def set_version(self):
        lists = pathlib.Path(self.recipe_folder, "../../CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"^project\(fovea VERSION ([0-9.]+)", lists, re.MULTILINE)[1]

    def export_sources(self):
        root = pathlib.Path(self.recipe_folder).parents[1]
        for name in [*FILES, *(f"{folder}/*" for folder in FOLDERS)]:
            copy(self, name, root, self.export_sources_folder)

    def requirements(self):
        self.requires("boost/[>=1.74 <2]", transitive_headers=True)
        self.requires("nlohmann_json/[>=3.10 <4]", transitive_headers=True)
        self.requires("xsimd/[~8.1]", transitive_headers=True)
        self.requires("xtensor/[~0.24]", transitive_headers=True)
        self.requires("utf8proc/[>=2.5 <3]")
        self.requires("cli11/[>=2.1 <3]")
        self.requires("fmt/[~9.1]")

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux" or self.settings.arch != "x86_64":
            raise ConanInvalidConfiguration(f"expected Linux on x86_64, found {self.settings.os} on {self.settings.arch}")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ["BENCH", "CPP_HTTPLIB", "EXAMPLES", "MPI", "SOUND", "TESTS", "TOOLS"]:
            toolchain.cache_variables[f"FOVEA_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, str(pathlib.Path(self.package_folder, "licenses")))
        CMake(self).install()

    def package_info(self):
        # find_package(fovea) takes the library's own configuration, which has fovea_add_model and the targets.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/fovea"]
        self.cpp_info.libs = ["fovea_runtime", "fovea_kernels"]
        self.cpp_info.system_libs = ["pthread"]
