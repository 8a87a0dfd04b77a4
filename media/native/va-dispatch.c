// Stands for libva and libva-drm, which only some machines have: vaGetDisplayDRM loads both, and the other functions jump to those of
// the loaded libraries. FFmpeg calls vaGetDisplayDRM first and gives up when it returns no display.
#include <dlfcn.h>
#include <stddef.h>

// The functions of libva that FFmpeg uses.
#define FUNCTIONS(F) \
	F(vaAcquireBufferHandle) F(vaBeginPicture) F(vaCreateBuffer) F(vaCreateConfig) F(vaCreateContext) F(vaCreateImage) \
	F(vaCreateSurfaces) F(vaDeriveImage) F(vaDestroyBuffer) F(vaDestroyConfig) F(vaDestroyContext) F(vaDestroyImage) \
	F(vaDestroySurfaces) F(vaEndPicture) F(vaEntrypointStr) F(vaErrorStr) F(vaExportSurfaceHandle) F(vaGetConfigAttributes) F(vaGetImage) \
	F(vaInitialize) F(vaMapBuffer) F(vaMaxNumEntrypoints) F(vaMaxNumImageFormats) F(vaMaxNumProfiles) F(vaProfileStr) \
	F(vaPutImage) F(vaQueryConfigEntrypoints) F(vaQueryConfigProfiles) F(vaQueryImageFormats) F(vaQuerySurfaceAttributes) \
	F(vaQueryVendorString) F(vaReleaseBufferHandle) F(vaRenderPicture) F(vaSetDriverName) F(vaSetErrorCallback) \
	F(vaSetInfoCallback) F(vaSyncBuffer) F(vaSyncSurface) F(vaTerminate) F(vaUnmapBuffer)

// Functions that only later versions of libva have.
#define LATER_FUNCTIONS(F) F(vaMapBuffer2)

#define POINTER(name) __attribute__((visibility("hidden"))) void *loaded_##name;
FUNCTIONS(POINTER)
LATER_FUNCTIONS(POINTER)

#if defined(__x86_64__)
#define JUMP(name) "jmp *loaded_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name) "adrp x16, loaded_" #name "\nldr x16, [x16, #:lo12:loaded_" #name "]\nbr x16\n"
#else
#error "no jump for this processor"
#endif
#define FUNCTION(name) \
	__asm__(".pushsection .text\n.globl " #name "\n.type " #name ",%function\n" #name ":\n" JUMP(name) ".popsection\n");
FUNCTIONS(FUNCTION)
LATER_FUNCTIONS(FUNCTION)

static int unimplemented(void) { return 0x14; } // VA_STATUS_ERROR_UNIMPLEMENTED

// Returns the display of a device, or NULL if the machine has no libva, or one that is too old.
void *vaGetDisplayDRM(int fd) {
	void *va = dlopen("libva.so.2", RTLD_NOW | RTLD_LOCAL), *drm = dlopen("libva-drm.so.2", RTLD_NOW | RTLD_LOCAL);
	if (!va || !drm) return NULL;
#define LOAD(name) \
	if (!(loaded_##name = dlsym(va, #name))) return NULL;
	FUNCTIONS(LOAD)
#define LOAD_LATER(name) \
	if (!(loaded_##name = dlsym(va, #name))) loaded_##name = (void *)unimplemented;
	LATER_FUNCTIONS(LOAD_LATER)
	void *(*display)(int) = (void *(*)(int))dlsym(drm, "vaGetDisplayDRM");
	return display ? display(fd) : NULL;
}
