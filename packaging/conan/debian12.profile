# g++ and the libraries of Debian 12, so that Conan fetches nothing: conan create packaging/conan --profile:all packaging/conan/debian12.profile
[settings]
os=Linux
arch=x86_64
build_type=Release
compiler=gcc
compiler.version=12
compiler.libcxx=libstdc++11
compiler.cppstd=20

[platform_requires]
boost/1.74.0
cli11/2.1.2
fmt/9.1.0
nlohmann_json/3.11.2
utf8proc/2.8.0
xsimd/8.1.0
xtensor/0.24.3
