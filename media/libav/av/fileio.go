package av

/*
#cgo pkg-config: libavformat
#include <libavformat/avformat.h>
#include <stdlib.h>

int roughcutReadFile(void *opaque, uint8_t *to, int size);
int roughcutWriteFile(void *opaque, uint8_t *from, int size);
int64_t roughcutSeekFile(void *opaque, int64_t offset, int whence);
*/
import "C"

import (
	"errors"
	"runtime/cgo"
	"unsafe"

	"github.com/asticode/go-astiav"
)

// fileUser is the file behind libav's read and write calls. Each call gets memory of libav, which
// it must not keep, and fails with an astiav.Error.
type fileUser interface {
	readFile(to []byte) (int, error)
	writeFile(from []byte) (int, error)
	seekFile(offset int64, whence int) (int64, error)
}

// fileIO connects a file to libav. astiav's own callbacks allocate memory on each call: copying ten
// minutes of video leaves a gigabyte for the garbage collector. free frees it, after the format
// that uses it.
type fileIO struct {
	context *C.AVIOContext
	handle  cgo.Handle
}

// newFileIO attaches a file to a format, with a buffer of the given number of bytes.
func newFileIO(format *astiav.FormatContext, user fileUser, buffer int, writable bool) (*fileIO, error) {
	opaque := (*C.uintptr_t)(C.malloc(C.sizeof_uintptr_t))
	block := (*C.uchar)(C.av_malloc(C.size_t(buffer)))
	read, write, flag := (*[0]byte)(C.roughcutReadFile), (*[0]byte)(nil), C.int(0)
	if writable {
		read, write, flag = nil, (*[0]byte)(C.roughcutWriteFile), 1
	}
	context := C.avio_alloc_context(
		block, C.int(buffer), flag, unsafe.Pointer(opaque), read, write,
		(*[0]byte)(C.roughcutSeekFile),
	)
	if context == nil || block == nil {
		C.av_free(unsafe.Pointer(block))
		C.free(unsafe.Pointer(opaque))
		return nil, errors.New("cannot allocate a file buffer")
	}

	// Otherwise, a muxer writes each packet on its own.
	context.min_packet_size = C.int(buffer)
	f := &fileIO{context, cgo.NewHandle(user)}
	*opaque = C.uintptr_t(f.handle)
	nativeFormat(format).pb = context
	return f, nil
}

// readDirectly makes libav read only the bytes that it needs, without a buffer that reads ahead.
func (f *fileIO) readDirectly() { f.context.direct = 1 }

func (f *fileIO) free() {
	f.handle.Delete()
	C.free(f.context.opaque)
	C.av_freep(unsafe.Pointer(&f.context.buffer))
	C.avio_context_free(&f.context)
}

// An astiav.FormatContext holds only an unexported pointer to its AVFormatContext, like an
// astiav.Stream.
const _ = unsafe.Sizeof(uintptr(0)) - unsafe.Sizeof(astiav.FormatContext{})

func nativeFormat(f *astiav.FormatContext) *C.AVFormatContext {
	return *(**C.AVFormatContext)(unsafe.Pointer(f))
}

func userOf(opaque unsafe.Pointer) fileUser {
	return cgo.Handle(*(*C.uintptr_t)(opaque)).Value().(fileUser)
}

//export roughcutReadFile
func roughcutReadFile(opaque unsafe.Pointer, to *C.uint8_t, size C.int) C.int {
	n, err := userOf(opaque).readFile(unsafe.Slice((*byte)(to), int(size)))
	return C.int(resultOf(int64(n), err))
}

//export roughcutWriteFile
func roughcutWriteFile(opaque unsafe.Pointer, from *C.uint8_t, size C.int) C.int {
	n, err := userOf(opaque).writeFile(unsafe.Slice((*byte)(from), int(size)))
	return C.int(resultOf(int64(n), err))
}

//export roughcutSeekFile
func roughcutSeekFile(opaque unsafe.Pointer, offset C.int64_t, whence C.int) C.int64_t {
	return C.int64_t(resultOf(userOf(opaque).seekFile(int64(offset), int(whence))))
}

// resultOf returns the result of a call as libav expects it: a count, or the number of its error.
func resultOf(n int64, err error) int64 {
	var known astiav.Error
	switch {
	case err == nil:
		return n
	case errors.As(err, &known):
		return int64(known)
	}

	return int64(astiav.ErrUnknown)
}
