# shellcheck shell=bash disable=SC2034,SC2154 # build.sh sources this file and uses its variables
# windows.sh - what build.sh needs to cross-compile for Windows on amd64 with mingw-w64. Debian has no packages of the libraries for
# Windows, so they are compiled as static libraries. Their sources come from Debian's source packages.
system=Windows-x86_64 tools=x86_64-w64-mingw32- folder=$folder-windows
cc=("${tools}gcc-posix") cxx=("${tools}g++-posix")
command -v "${cxx[0]}" >/dev/null || { say "install g++-mingw-w64-x86-64-posix; make build SYSTEM=windows does"; exit 1; }
export PKG_CONFIG_LIBDIR=$folder-bundled/lib/pkgconfig
# On Windows, GCC does not align the stack for the registers of AVX that it saves there (its bug 54412), so the assembler replaces the
# moves that need alignment.
unaligned=-Wa,-muse-unaligned-vector-move
# mingw-w64 10 has the headers of Windows 7, and ggml asks for the Windows 8 headers by default.
for_cmake=(-DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_PROCESSOR=x86_64 "-DCMAKE_C_COMPILER=${cc[0]}" "-DCMAKE_CXX_COMPILER=${cxx[0]}"
  "-DCMAKE_RC_COMPILER=${tools}windres" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER "-DCMAKE_C_FLAGS=-D_WIN32_WINNT=0x0601 $unaligned"
  "-DCMAKE_CXX_FLAGS=-D_WIN32_WINNT=0x0601 $unaligned" -DGGML_OPENMP=OFF)
for_ffmpeg=(--enable-cross-compile --arch=x86_64 --target-os=mingw32 "--cross-prefix=$tools" "--cc=${cc[0]}" "--cxx=${cxx[0]}" --pkg-config=pkg-config
  --disable-w32threads "--extra-cflags=-I$folder-bundled/include $unaligned" "--extra-ldflags=-L$folder-bundled/lib")
for_meson=(--cross-file cross.ini)
cross_file() {
  printf '%s\n' '[binaries]' "c = '${cc[0]}'" "cpp = '${cxx[0]}'" "ar = '${tools}ar'" "strip = '${tools}strip'" "windres = '${tools}windres'" \
    "pkgconfig = 'pkg-config'" '[built-in options]' "c_args = ['$unaligned']" '[host_machine]' "system = 'windows'" "cpu_family = 'x86_64'" \
    "cpu = 'x86_64'" "endian = 'little'"
}

# merge_variants: --force-group-allocation is for ELF. Here, sections of functions that other objects have too become plain ones, so
# that the linker keeps them.
for_ld=() for_objcopy=(--set-section-flags '.text$*=alloc,load,readonly,code' --set-section-flags '.data$*=alloc,load,data'
  --set-section-flags '.[rpx]data$*=alloc,load,readonly,data' --set-section-flags '.bss$*=alloc')

# name_archives gives the archives of ggml the names that cgo links.
name_archives() {
  local archive
  for archive in "$stage"/lib/ggml*.a; do mv "$archive" "$stage/lib/lib${archive##*/}"; done
}

# build_codecs compiles the libraries that other systems have as packages.
build_codecs() {
  local mirror library status
  mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' | awk '$1=="Debian" && !/security/ {print $2; exit}')
  [ -n "$mirror" ] || { say "there is no Debian mirror in the configuration of apt"; return 1; }
  for library in zlib x264 x265 lame opus zimg freetype fribidi harfbuzz libass; do
    say "building $library"
    set +e # so that the first error ends the next line, and its log is shown
    (set -e; "codec_$library") >"$library.log" 2>&1
    status=$?
    set -e
    [ $status = 0 ] || { tail -30 "$library.log" >&2; return 1; }
  done
}

# unpack LIBRARY FILE SHA256 LICENSE downloads a source from Debian, unpacks it, keeps its license and enters its folder.
unpack() {
  local library=$1 file=$2 want=$3 pool=${1:0:1}
  case $library in lib*) pool=${library:0:4} ;; esac
  curl -fsSL --retry 3 --connect-timeout 10 --max-time 300 -o "$file" "${mirror}pool/main/$pool/$library/${file//+/%2b}"
  [ "$(sha "$file" | cut -d' ' -f1)" = "$want" ] || { echo "$file has the wrong checksum; run this script again"; return 1; }
  mkdir "$library"
  tar xf "$file" -C "$library" --strip-components=1
  cd "$library"
  cp "$4" "$stage/share/licenses/$library"
}

with_cmake() {
  cmake -G Ninja "${for_cmake[@]}" -DCMAKE_FIND_ROOT_PATH="$stage" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$stage" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF "$@"
}

with_meson() {
  cross_file >cross.ini
  meson setup b "${for_meson[@]}" --prefix="$stage" --libdir=lib --default-library=static --buildtype=release "$@"
  ninja -j"$jobs" -C b install
}

with_configure() {
  env "CC=${cc[0]}" "CXX=${cxx[0]}" AR="${tools}ar" RANLIB="${tools}ranlib" STRIP="${tools}strip" RC="${tools}windres" \
    CFLAGS="-O2 $unaligned" CXXFLAGS="-O2 $unaligned" ./configure --host="${tools%-}" --prefix="$stage" --enable-static --disable-shared "$@"
  make -j"$jobs" install
}

codec_zlib() {
  unpack zlib zlib_1.3.dfsg+really1.3.1.orig.tar.gz 60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb LICENSE
  env "CC=${cc[0]}" AR="${tools}ar" RANLIB="${tools}ranlib" CHOST="${tools%-}" ./configure --prefix="$stage" --static
  make -j"$jobs" libz.a
  make install
}

codec_x264() {
  unpack x264 x264_0.164.3108+git31e19f9.orig.tar.gz 41606cb8e788a7f8c4514290646d4ba5c7bc68d9e1ccd1a73f446a90546913eb COPYING
  env "CC=${cc[0]}" ./configure "--cross-prefix=$tools" --host="${tools%-}" --prefix="$stage" --enable-static --disable-cli --disable-opencl --bit-depth=8
  make -j"$jobs" install-lib-static
}

# x265 is one library for 8, 10 and 12 bits, as in Debian's packages.
codec_x265() {
  unpack x265 x265_4.1.orig.tar.xz 85abb8a850000bf693947459c42a666a3ecd6de10a2ac6b3c6647554b14d3270 COPYING
  local bits high=(-DHIGH_BIT_DEPTH=ON -DEXPORT_C_API=OFF)
  for bits in 12 10 8; do
    case $bits in
      12) set -- "${high[@]}" -DMAIN12=ON ;;
      10) set -- "${high[@]}" ;;
      8) set -- -DLINKED_10BIT=ON -DLINKED_12BIT=ON "-DEXTRA_LIB=$PWD/10/libx265.a;$PWD/12/libx265.a" ;;
    esac
    with_cmake "$@" -DENABLE_SHARED=OFF -DENABLE_CLI=OFF -S source -B $bits
    ninja -j"$jobs" -C $bits x265-static
  done
  ninja -C 8 install
  printf '%s\n' "create $stage/lib/libx265.a" "addlib 8/libx265.a" "addlib 10/libx265.a" "addlib 12/libx265.a" save end | "${tools}ar" -M
  sed -i 's/^Libs.private:.*/Libs.private: -lstdc++/' "$stage/lib/pkgconfig/x265.pc" # its own names the DLL of GCC
}

codec_lame() {
  unpack lame lame_3.100.orig.tar.gz ddfe36cab873794038ae2c1210557ad34857a4b6bdc515785d1da9e175b1da1e COPYING
  with_configure --disable-frontend --disable-decoder
}

codec_opus() {
  unpack opus opus_1.5.2.orig.tar.gz 65c1d2f78b9f2fb20082c38cbe47c951ad5839345876e46941612ee87f9a7ce1 COPYING
  with_cmake -DOPUS_STACK_PROTECTOR=OFF -DOPUS_FORTIFY_SOURCE=OFF -S . -B b
  ninja -j"$jobs" -C b install
}

codec_zimg() {
  unpack zimg zimg_3.0.4+ds1.orig.tar.xz 19266d15ffb2f4b36835878ac776c746664725227ac3d10ec5e415a55765cf06 COPYING
  autoreconf -fi
  with_configure
}

codec_freetype() {
  unpack freetype freetype_2.13.3+dfsg.orig.tar.xz 686ec73cbf6783b245dd068a09ce807b729ac0f8a46dd70f7867923c32fdf4de docs/FTL.TXT
  with_cmake -DFT_DISABLE_BZIP2=ON -DFT_DISABLE_PNG=ON -DFT_DISABLE_HARFBUZZ=ON -DFT_DISABLE_BROTLI=ON -DFT_DISABLE_ZLIB=ON -S . -B b
  ninja -j"$jobs" -C b install
}

codec_fribidi() {
  unpack fribidi fribidi_1.0.16.orig.tar.xz 1b1cde5b235d40479e91be2f0e88a309e3214c8ab470ec8a2744d82a5a9ea05c COPYING
  with_meson -Ddocs=false -Dbin=false -Dtests=false
}

codec_harfbuzz() {
  unpack harfbuzz harfbuzz_10.2.0.orig.tar.xz 620e3468faec2ea8685d32c46a58469b850ef63040b3565cde05959825b48227 COPYING
  with_cmake -DHB_HAVE_FREETYPE=ON -DHB_BUILD_SUBSET=OFF -S . -B b
  ninja -j"$jobs" -C b install
}

# libass finds the fonts of the system through DirectWrite.
codec_libass() {
  unpack libass libass_0.17.1.orig.tar.gz d653be97198a0543c69111122173c41a99e0b91426f9e17f06a858982c2fb03d COPYING
  with_configure --disable-fontconfig
}
