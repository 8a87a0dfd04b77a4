//go:build desktop

#include "gtk.h"
#include <dlfcn.h>
#include <stddef.h>

// WebKit has loaded GStreamer, whose headers the build does not need.
int hasElement(const char *name) {
    static void *library = NULL;
    if (library == NULL) library = dlopen("libgstreamer-1.0.so.0", RTLD_NOW);
    if (library == NULL) return -1;
    int (*init)(int *, char ***, void **) = dlsym(library, "gst_init_check");
    void *(*find)(const char *) = dlsym(library, "gst_element_factory_find");
    void (*unref)(void *) = dlsym(library, "gst_object_unref");
    if (init == NULL || find == NULL || unref == NULL || !init(NULL, NULL, NULL)) return -1;
    void *factory = find(name);
    if (factory != NULL) unref(factory);
    return factory != NULL;
}

void webkitVersion(unsigned int version[3]) {
    static const char *names[] = {"webkit_get_major_version", "webkit_get_minor_version", "webkit_get_micro_version"};
    for (int i = 0; i < 3; i++) {
        unsigned int (*part)(void) = dlsym(RTLD_DEFAULT, names[i]);
        version[i] = part == NULL ? 0 : part();
    }
}
