#!/usr/bin/env bash
# build.sh - builds FFmpeg, dav1d and whisper.cpp as static libraries in a per-user cache.
# The executable loads the drivers of hardware encoders at run time, and chooses the code for this CPU at run time.
#
#   build.sh          build missing libraries, then print the cache folder
#   build.sh env      the same, then print shell exports for the Go toolchain
#   build.sh whisper-cli  build the command line of whisper.cpp as its readme says, for benchmarks, and print its path
#
# The name of the cache folder contains a hash of this script and the files next to it, so a change
# triggers a rebuild. The script verifies the checksum of every source before it unpacks it.
#
#   FFMPEG=system       use the FFmpeg 7.x development files of this machine; only build whisper.cpp
#   WHISPER=vulkan      speech recognition on graphics processors, or on the CPU if a machine has no such processor
#   TARGET=linux/arm64  cross-compile, with the libraries in the folder sysroot-arm64 of the cache, which .ci/sysroot makes
#   TARGET=windows/amd64  cross-compile with mingw-w64, and compile the other libraries too
#   LINK=portable       for executables that need no library except glibc 2.31 and libgcc; links with the folder sysroot-ARCH-bullseye
#                       of the cache, which .ci/sysroot makes
#   ROUGHCUT_JOBS       compilers that run at the same time (default: one for each CPU)
#   ROUGHCUT_CACHE      cache folder (default: $XDG_CACHE_HOME/roughcut or ~/.cache/roughcut)
set -euo pipefail
# Variables on the command line of a make that calls this script would reach FFmpeg's make: ARCH=arm64 leaves out the code for aarch64.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ffmpeg_mode=${FFMPEG:-bundled}
whisper_mode=${WHISPER:-cpu}
jobs=${ROUGHCUT_JOBS:-$(nproc 2>/dev/null || sysctl -n hw.ncpu)}

FFMPEG_VERSION=7.1.5
FFMPEG_SHA256=de668509caf9e35e3cd162473441fdb29538c6d96ed080292b3cf9e6fc5d558f
FFMPEG_URL=https://ffmpeg.org/releases/ffmpeg-$FFMPEG_VERSION.tar.xz
NVCODEC_VERSION=12.1.14.0 # headers; the oldest version that this FFmpeg accepts runs with the oldest drivers
NVCODEC_SHA256=0ca1a0c85b149646fa6ce4d600584507fdccf5a23d58e668d8701e89cee0c3fb
VULKAN_VERSION=1.4.309.0 # headers
VULKAN_SHA256=6e37284e5c8ef5f06cef273cc207f0b31cb3b63c1ea2875639e843b01da4e6d7
DAV1D_VERSION=1.5.1
DAV1D_SHA256=401813f1f89fa8fd4295805aa5284d9aed9bc7fc1fdbe554af4292f64cbabe21
DAV1D_URL=https://downloads.videolan.org/pub/videolan/dav1d/$DAV1D_VERSION/dav1d-$DAV1D_VERSION.tar.xz
HARFBUZZ_VERSION=10.2.0
HARFBUZZ_SHA256=620e3468faec2ea8685d32c46a58469b850ef63040b3565cde05959825b48227
HARFBUZZ_URL=https://github.com/harfbuzz/harfbuzz/releases/download/$HARFBUZZ_VERSION/harfbuzz-$HARFBUZZ_VERSION.tar.xz

sha() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
say() { printf '%s\n' "native: $*" >&2; }
# The order of the names must not depend on the language of the user.
key=$(cd "$here" && export LC_ALL=C && sha * | sha | cut -c1-16)
cache=${ROUGHCUT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/roughcut}
folder=$cache/native-$key
case $whisper_mode in cpu | vulkan) ;; *) say "WHISPER is $whisper_mode; use cpu or vulkan"; exit 1 ;; esac

# The tools for the target, and the options of CMake, Meson and FFmpeg's configure that tell it, and of merge_variants.
system=$(uname -s)-$(uname -m) tools="" cc=(cc) cxx=(c++) for_cmake=() for_meson=() for_ffmpeg=() for_ld=(--force-group-allocation) for_objcopy=()
case ${TARGET:-}:$system in
  :* | linux/amd64:Linux-x86_64 | linux/arm64:Linux-aarch64) ;;
  linux/arm64:Linux-x86_64)
    system=Linux-aarch64 tools=aarch64-linux-gnu- sysroot=$cache/sysroot-arm64 folder=$folder-arm64
    [ -d "$sysroot" ] || { say "there is no $sysroot; make build ARCH=arm64 fetches it"; exit 1; }
    cc=("${tools}gcc" "--sysroot=$sysroot") cxx=("${tools}g++" "--sysroot=$sysroot")
    export PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$sysroot/usr/share/pkgconfig
    for_cmake=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER="${tools}gcc" -DCMAKE_CXX_COMPILER="${tools}g++"
      -DCMAKE_SYSROOT="$sysroot" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER)
    for_ffmpeg=(--enable-cross-compile --arch=aarch64 --target-os=linux --cross-prefix=$tools --sysroot="$sysroot" --pkg-config=pkg-config)
    for_meson=(--cross-file cross.ini)
    cross_file() {
      printf '%s\n' '[binaries]' "c = ['${tools}gcc', '--sysroot=$sysroot']" "ar = '${tools}ar'" "strip = '${tools}strip'" '[host_machine]' \
        "system = 'linux'" "cpu_family = 'aarch64'" "cpu = 'aarch64'" "endian = 'little'"
    }
    ;;
  windows/amd64:Linux-x86_64) . "$here/windows.sh" ;;
  *) say "TARGET is $TARGET; this machine compiles for linux/amd64, linux/arm64 or windows/amd64"; exit 1 ;;
esac

# fetch NAME VERSION URL SHA256 - downloads a release from upstream, or the same tarball from Debian's source package. With an empty
# URL only the latter.
fetch() {
  local name=$1 version=$2 url=$3 want=$4 out=$1-$2.tar.xz
  say "fetching $name $version"
  { [ -n "$url" ] && curl -fsSL --connect-timeout 10 --max-time 300 -o "$out" "$url" 2>fetch.log; } ||
    fetch_debian "$name" "$version" "$out" 2>>fetch.log || true
  [ -s "$out" ] || {
    cat fetch.log >&2
    say "cannot fetch $name $version${url:+ from $url}, nor its source package from a Debian mirror, for the reasons above." \
      "Behind a proxy, set HTTPS_PROXY and http_proxy. Then run make again."
    return 1
  }
  [ "$(sha "$out" | cut -d' ' -f1)" = "$want" ] || { say "$out has the wrong checksum; run this script again"; return 1; }
  mkdir "$name" && tar xJf "$out" -C "$name" --strip-components=1
}

# fetch_debian NAME VERSION OUT - downloads from the trixie suite of this machine's mirror. It keeps its own package
# state, so the system's package lists stay unchanged.
fetch_debian() {
  command -v apt-get >/dev/null || { say "this system has no apt"; return 1; }
  local apt=$PWD/apt mirror
  mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' | awk '$1=="Debian" && !/security/ {print $2; exit}')
  [ -n "$mirror" ] || { say "no Debian mirror is in the configuration of apt"; return 1; }
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$apt/sources.list"
  printf 'Dir::State "%s/state";\nDir::Cache "%s/cache";\nDir::Etc::SourceList "%s/sources.list";\nDir::Etc::SourceParts "/dev/null";\nAPT::Sandbox::User "";\n' \
    "$apt" "$apt" "$apt" >"$apt/apt.conf"
  [ -n "$(ls "$apt/state/lists" | grep -v partial)" ] || APT_CONFIG=$apt/apt.conf apt-get -qq update >&2
  APT_CONFIG=$apt/apt.conf apt-get -qq source --download-only --only-source --tar-only "$1" >&2
  mv "$1"_"$2".orig.tar.xz "$3"
}

# fetch_nvcodec provides the headers of NVENC: the installed ones if they are new enough, or Debian's. FFmpeg loads the driver.
fetch_nvcodec() {
  local headers
  mkdir nvcodec
  if pkg-config --exists "ffnvcodec >= $NVCODEC_VERSION"; then
    headers=$(pkg-config --variable=includedir ffnvcodec)
  else
    fetch nv-codec-headers $NVCODEC_VERSION "" $NVCODEC_SHA256 ||
      { say "install the headers of NVENC, ffnvcodec $NVCODEC_VERSION or later, in Debian 13 libffmpeg-nvenc-dev"; return 1; }
    make -s -C nv-codec-headers PREFIX="$PWD/nvcodec" install
    headers=$PWD/nvcodec/include
  fi
  sed '/\*\//q' "$headers/ffnvcodec/nvEncodeAPI.h" >"$stage/share/licenses/nv-codec-headers"
}

build_dav1d() {
  say "building dav1d"
  [ -z "$tools" ] || cross_file >cross.ini
  meson setup dav1d/build dav1d ${for_meson[@]+"${for_meson[@]}"} --prefix="$stage" --libdir=lib --default-library=static --buildtype=release \
    -Denable_tools=false -Denable_tests=false >dav1d.log 2>&1 && ninja -j"$jobs" -C dav1d/build install >>dav1d.log 2>&1 || { tail -30 dav1d.log >&2; return 1; }
}

whisper_source=node_modules/nodejs-whisper/cpp/whisper.cpp
fetch_whisper() {
  cp "$here/package.json" "$here/package-lock.json" .
  "$here/../../.ci/npm" ci --ignore-scripts
}

build_whisper() {
  say "building whisper.cpp"
  fetch_whisper
  local gpu=()
  [ "$whisper_mode" = cpu ] || prepare_vulkan
  case $system in
    *-x86_64) build_variants sse42 avx2 avx512 ;;
    Linux-aarch64) build_variants armv8 dotprod ;;
    *) compile_whisper portable install ;;
  esac || { tail -30 whisper.log >&2; return 1; }
  case $system in Linux-*) link_static gomp ;; esac # see cpu-dispatch.c
  [ "$whisper_mode" = cpu ] || add_vulkan
  sed '/^$/q; s,^// \{0\,1\},,' "$whisper_source/ggml/src/ggml-cpu/llamafile/sgemm.cpp" >"$stage/share/licenses/tinyblas"
}

# build_whisper_cli compiles whisper.cpp's own command line for this machine.
build_whisper_cli() {
  say "building the command line of whisper.cpp"
  fetch_whisper
  cmake -G Ninja -S "$whisper_source" -B whisper-cli -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF >whisper.log 2>&1 &&
    ninja -j"$jobs" -C whisper-cli whisper-cli >>whisper.log 2>&1 && cp whisper-cli/bin/whisper-cli "$stage" || { tail -30 whisper.log >&2; return 1; }
}

# build_variants LEVEL... compiles whisper.cpp for the first level, and the CPU backend for all of them.
build_variants() {
  local level
  compile_whisper "$1" install || return 1
  case $system in Windows-*) name_archives ;; esac
  for level in "${@:2}"; do compile_whisper "$level" ggml-cpu || return 1; done
  merge_variants "$@"
}

# compile_whisper LEVEL TARGET compiles for processors that have the features of a level, and no later ones. With llamafile's
# products of matrices, the encoder takes a quarter to a third less time with 16-bit and 8-bit weights.
compile_whisper() {
  local level=$1 feature options=(-DGGML_LLAMAFILE=ON)
  for feature in SSE42 AVX AVX2 FMA F16C BMI2 AVX512 AVX512_VNNI; do
    case $level-$feature in
      avx2-AVX512*) options+=("-DGGML_$feature=OFF") ;;
      sse42-SSE42 | avx2-* | avx512-*) options+=("-DGGML_$feature=ON") ;;
      *) options+=("-DGGML_$feature=OFF") ;;
    esac
  done
  case $level in
    armv8) options+=(-DGGML_CPU_ARM_ARCH=armv8-a) ;;
    dotprod) options+=(-DGGML_CPU_ARM_ARCH=armv8.2-a+dotprod+fp16) ;;
  esac
  [ "$level" = portable ] || options+=(-DCMAKE_CXX_FLAGS=-fno-gnu-unique) # see merge_variants
  cmake -G Ninja -S "$whisper_source" -B "whisper-$level" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$stage" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_OPTIMIZE_DEPENDENCIES=ON -DBUILD_SHARED_LIBS=OFF -DGGML_NATIVE=OFF -DGGML_CCACHE=OFF -DWHISPER_BUILD_TESTS=OFF \
    -DWHISPER_BUILD_EXAMPLES=OFF -DWHISPER_BUILD_SERVER=OFF "${options[@]}" ${for_cmake[@]+"${for_cmake[@]}"} ${gpu[@]+"${gpu[@]}"} \
    >>whisper.log 2>&1 && ninja -j"$jobs" -C "whisper-$level" "$2" >>whisper.log 2>&1
}

# merge_variants LEVEL... replaces ggml's CPU backend by variants: on amd64 one for every processor with SSE4.2, one for those with AVX2 and
# one for those with AVX-512 and its VNNI, on arm64 one for every processor and one for those with the dot product and 16-bit floating point
# of ARMv8.2. Against AVX2, AVX-512 takes a third to two fifths less time in the decoder and up to a tenth less in the encoder. ggml itself
# can only choose between shared libraries. Each variant becomes one object whose only visible name is the function that registers it, so
# that no function compiled for AVX2 replaces one of the same name elsewhere. objcopy cannot hide GNU's unique names, so the compiler makes none.
# cpu-dispatch.c chooses.
merge_variants() {
  local level objects=()
  for level; do
    "${tools}ld" -r ${for_ld[@]+"${for_ld[@]}"} -o "$level.o" --whole-archive "whisper-$level"/ggml/src/*ggml-cpu.a &&
      "${tools}objcopy" ${for_objcopy[@]+"${for_objcopy[@]}"} --redefine-sym "ggml_backend_cpu_reg=roughcut_cpu_reg_$level" "$level.o" &&
      "${tools}objcopy" "--keep-global-symbol=roughcut_cpu_reg_$level" "$level.o" || return 1
    objects+=("$level.o")
  done
  "${cc[@]}" -O2 -fPIC -c "$here/cpu-dispatch.c" -o cpu-dispatch.o && rm "$stage/lib/libggml-cpu.a" &&
    "${tools}ar" rcs "$stage/lib/libggml-cpu.a" cpu-dispatch.o "${objects[@]}"
} >>whisper.log 2>&1

# prepare_vulkan sets gpu for CMake. The headers come from the sources of Vulkan's loader, because ggml needs newer ones than Debian 12
# has. vulkan-dispatch.c stands for the loader.
prepare_vulkan() {
  case $system:$tools in Linux-*:) ;; *) say "WHISPER=vulkan is for Linux and the processor of this machine"; return 1 ;; esac
  fetch vulkan-loader $VULKAN_VERSION "" $VULKAN_SHA256
  local headers=$PWD/vulkan-loader/vulkan-headers/include
  cp vulkan-loader/vulkan-headers/LICENSES/MIT.txt "$stage/share/licenses/vulkan-headers"
  "${cc[@]}" -O2 -fPIC -I"$headers" -c "$here/vulkan-dispatch.c" -o vulkan-dispatch.o
  "${tools}ar" rcs libvulkan-dispatch.a vulkan-dispatch.o
  gpu=(-DGGML_VULKAN=ON "-DVulkan_INCLUDE_DIR=$headers" "-DVulkan_LIBRARY=$PWD/libvulkan-dispatch.a")
}

# add_vulkan merges the backend into libggml.a, which refers to it, because cgo does not link another library.
add_vulkan() {
  local lib=$stage/lib
  printf '%s\n' "create libggml.a" "addlib $lib/libggml.a" "addlib $lib/libggml-vulkan.a" "addlib libvulkan-dispatch.a" save end | "${tools}ar" -M
  mv libggml.a "$lib/libggml.a"
  rm "$lib/libggml-vulkan.a"
}

# Decoders, demuxers and parsers: the formats that Roughcut accepts. Everything else: what package libav uses, as listed
# in libav/av/required.go; a test compares both lists. No network protocol and no device is built.
build_ffmpeg() {
  say "building FFmpeg (takes a few minutes, once)"
  local decoders=h264,hevc,vp8,vp9,libdav1d,mpeg4,mjpeg,prores,png,gif,webp,bmp,aac,mp3float,opus,vorbis,flac,alac
  decoders=$decoders,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le,pcm_u8,pcm_s8,pcm_alaw,pcm_mulaw
  decoders=$decoders,mpeg1video,mpeg2video,dvvideo,dnxhd,ffv1,huffyuv,ffvhuff,utvideo,wmv1,wmv2
  decoders=$decoders,ac3,eac3,dca,mp2float,wmav1,wmav2,pcm_bluray,pcm_dvd,pcm_f64be
  local demuxers=mov,matroska,avi,mpegts,mp3,wav,flac,ogg,aac,gif,image_png_pipe,image_jpeg_pipe,image_webp_pipe,image_bmp_pipe
  demuxers=$demuxers,mpegps,flv,mxf,dv,asf,aiff,caf
  demuxers=$demuxers,mpegvideo,m4v,h264,hevc,ac3,eac3,dts
  local parsers=h264,hevc,vp8,vp9,av1,mpeg4video,mpegvideo,dnxhd,mjpeg,png,gif,webp,bmp,aac,mpegaudio,ac3,dca,opus,vorbis,flac
  local encoders=libx264,libx265,aac,libmp3lame,libopus,flac,pcm_s16le
  local hardware=()
  case $system in
    Linux-*) hardware=(--enable-ffnvcodec --enable-nvenc --enable-encoder=h264_nvenc --enable-vaapi --enable-encoder=h264_vaapi) ;;
    Windows-*) hardware=(--enable-ffnvcodec --enable-nvenc --enable-encoder=h264_nvenc) ;;
    Darwin-*) hardware=(--enable-videotoolbox --enable-encoder=h264_videotoolbox) ;;
  esac
  local muxers=mp4,ipod,mov,matroska,mp3,wav,flac,opus
  local filters=buffer,buffersink,abuffer,abuffersink,bwdif,scale,zscale,tonemap,format,transpose,hflip,vflip,crop,pad,rotate,afftdn,aformat
  local bsfs=extract_extradata,aac_adtstoasc,vp9_superframe,vp9_superframe_split
  mkdir ffmpeg-build && cd ffmpeg-build
  PKG_CONFIG_PATH=$PWD/../nvcodec/lib/pkgconfig:$stage/lib/pkgconfig ../ffmpeg/configure --prefix="$stage" --enable-gpl --enable-static --disable-shared --enable-pic \
    --disable-programs --disable-doc --disable-autodetect --disable-everything --disable-network --disable-debug --disable-postproc \
    --enable-pthreads --enable-zlib --enable-libx264 --enable-libx265 --enable-libdav1d --enable-libzimg --enable-libmp3lame --enable-libopus \
    --enable-decoder=$decoders --enable-demuxer=$demuxers --enable-parser=$parsers --enable-encoder=$encoders --enable-muxer=$muxers \
    --enable-filter=$filters --enable-bsf=$bsfs --enable-protocol=file --pkg-config-flags=--static \
    ${hardware[@]+"${hardware[@]}"} ${for_ffmpeg[@]+"${for_ffmpeg[@]}"} >../ffmpeg.log 2>&1 ||
    { tail -30 ../ffmpeg.log ffbuild/config.log >&2; return 1; }
  case $system in *-x86_64 | *-amd64) grep -q '^#define HAVE_X86ASM 1' config.h || { say "FFmpeg was configured without assembly: install nasm"; return 1; } ;; esac
  make -j"$jobs" install >>../ffmpeg.log 2>&1 || { tail -30 ../ffmpeg.log >&2; return 1; }
  cd ..
  case $system in Linux-*) "${cc[@]}" -O2 -fPIC -c "$here/va-dispatch.c" -o va-dispatch.o && "${tools}ar" rcs "$stage/lib/libroughcut-va.a" va-dispatch.o ;; esac
}

# Writes the pkg-config that cgo calls. It links the libraries below statically, even where a shared library is installed
# next to the archive. libass, fontconfig, freetype and harfbuzz have a stable ABI and are linked shared.
write_pkg_config() {
  mkdir -p "$stage/bin"
  cat >"$stage/bin/pkg-config" <<'W'
#!/usr/bin/env bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PKG_CONFIG_PATH=$root/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
case " $* " in *" --libs "*) ;; *) exec pkg-config "$@" ;; esac
seen=" " out="-L$root/lib"
for flag in $(pkg-config --static --keep-system-libs "$@"); do
  case $flag in
    -lx264 | -lx265 | -lnuma | -ldav1d | -lzimg | -lmp3lame | -lopus | -lz)
      [ "$(uname)" = Darwin ] || flag="-l:lib${flag#-l}.a" ;;
    -lva) flag=-lroughcut-va\ -ldl ;; # see va-dispatch.c
    -lva-drm) continue ;;
  esac
  out="$out $flag"
done
echo "$out"
W
  chmod +x "$stage/bin/pkg-config"
}

# provide FOLDER STEP... makes a folder of the cache, unless it is complete. Libraries record their final path, so they install in place.
provide() {
  stage=$1
  shift
  [ ! -f "$stage/.complete" ] || return 0
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/build.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  rm -rf "$stage"
  mkdir -p "$stage/share/licenses"
  cd "$work"
  local step started
  started=$(date +%s)
  for step; do "$step"; done
  cd "$here"
  rm -rf "$work"
  touch "$stage/.complete"
  say "built in $(($(date +%s) - started)) s: $stage"
}

build_libav() {
  case $system in
    Linux-*) fetch_nvcodec ;;
    Windows-*)
      fetch_nvcodec
      build_codecs
      ;;
  esac
  fetch dav1d $DAV1D_VERSION $DAV1D_URL $DAV1D_SHA256
  fetch ffmpeg $FFMPEG_VERSION $FFMPEG_URL $FFMPEG_SHA256
  build_dav1d
  build_ffmpeg
  write_pkg_config
}

# link_static NAME... makes the linker find static libraries of this machine before shared ones.
link_static() {
  local name archive
  for name; do
    archive=$("${cc[@]}" -print-file-name="lib$name.a")
    [ -e "$archive" ] || { say "the static library $name is missing"; return 1; }
    ln -s "$(realpath "$archive")" "$stage/lib/lib$name.a"
  done
}

# build_portable makes the folder where the linker looks first. Each name in it stands for a static library of this machine. Debian
# has HarfBuzz only as a shared library, so the function builds a static one with the same options.
build_portable() {
  mkdir -p "$stage"/{lib/pkgconfig,include/harfbuzz}
  link_static ass freetype fribidi fontconfig expat png16 brotlidec brotlicommon stdc++ atomic
  fetch harfbuzz $HARFBUZZ_VERSION $HARFBUZZ_URL $HARFBUZZ_SHA256
  say "building HarfBuzz"
  "${cc[@]}" -O2 -fPIC -fno-exceptions -fno-rtti -fno-threadsafe-statics -DHAVE_PTHREAD -c harfbuzz/src/harfbuzz.cc -o harfbuzz.o
  "${tools}ar" rcs "$stage/lib/libharfbuzz.a" harfbuzz.o
  cp harfbuzz/src/hb*.h "$stage/include/harfbuzz"
  cp harfbuzz/COPYING "$stage/share/licenses/harfbuzz"
  printf '%s\n' "Name: harfbuzz" "Description: text shaping" "Version: $HARFBUZZ_VERSION" "Cflags: -I$stage/include/harfbuzz" \
    "Libs: -L$stage/lib -lharfbuzz" >"$stage/lib/pkgconfig/harfbuzz.pc"
  "${cc[@]}" -O2 -fPIC -c "$here"/{glibc,resolv}-2.31.c
  "${tools}ar" rcs "$stage/lib/libroughcut-glibc.a" {glibc,resolv}-2.31.o
}

if [ "${1:-}" = whisper-cli ]; then
  provide "$folder-whisper-cli" build_whisper_cli
  echo "$folder-whisper-cli/whisper-cli"
  exit
fi

# FFmpeg and the two builds of whisper.cpp have folders of their own, so that each is built once.
prefix=$folder-$ffmpeg_mode whisper=$folder-whisper-$whisper_mode portable=$folder-portable
provide "$whisper" build_whisper
[ "$ffmpeg_mode" = system ] || provide "$prefix" build_libav
if [ -n "${LINK:-}" ]; then
  [ "$LINK-$ffmpeg_mode-${system%-*}" = portable-bundled-Linux ] || { say "LINK is $LINK; use portable, on Linux and with the bundled FFmpeg"; exit 1; }
  machine=$("${cc[@]}" -dumpmachine)
  case $machine in x86_64-*) glibc=$cache/sysroot-amd64-bullseye ;; *) glibc=$cache/sysroot-arm64-bullseye ;; esac
  [ -d "$glibc" ] || { say "there is no $glibc; make build LINK=portable fetches it"; exit 1; }
  provide "$portable" build_portable
fi

if [ "${1:-}" = env ]; then
  folders=(${LINK:+"$portable"} "$whisper")
  [ "$ffmpeg_mode" = system ] || folders+=("$prefix")
  paths() { local all; all=$(printf ":%s/$1" "${folders[@]}"); echo "${all#:}"; }
  [ "$ffmpeg_mode" = system ] || echo "export PKG_CONFIG='$prefix/bin/pkg-config'"
  # Of all these, Go's build cache only notices CGO_LDFLAGS and CC. Without it, a new key would link the libraries of the old one.
  ldflags=$(printf -- '-L%s/lib ' "${folders[@]}")
  # The linker rejects names that glibc 2.31 does not have. Without -B, the compiler takes crt1.o of this machine, and glibc 2.31
  # then calls no constructors. Drivers of hardware encoders bring their own C++ library, so the executable hides the one it contains.
  [ -z "${LINK:-}" ] || ldflags="--sysroot=$glibc $ldflags-L$glibc/usr/lib/$machine -B$glibc/usr/lib/$machine/ -Wl,--exclude-libs,ALL \
-Wl,-u,__libc_single_threaded -lroughcut-glibc"
  [ -z "${LINK:-}" ] || echo "export PKG_CONFIG_PATH='$portable/lib/pkgconfig'"
  echo "export CGO_LDFLAGS='$ldflags' C_INCLUDE_PATH='$(paths include)' LIBRARY_PATH='$(paths lib)'"
  echo "export CGO_CFLAGS_ALLOW='.*' CGO_LDFLAGS_ALLOW='.*'"
  [ -z "$tools" ] || echo "export GOOS=${TARGET%/*} GOARCH=${TARGET#*/} CGO_ENABLED=1 CC='${cc[*]}' CXX='${cxx[*]}' AR='${tools}ar'" \
    "PKG_CONFIG_LIBDIR='$PKG_CONFIG_LIBDIR' ROUGHCUT_SYSROOT='${sysroot:-}'"
else
  echo "$prefix"
fi
