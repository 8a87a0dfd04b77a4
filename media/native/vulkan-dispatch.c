// Stands for Vulkan's loader, libvulkan.so.1, which only some machines have. It has the functions that ggml links. ggml finds all others
// with vkGetInstanceProcAddr.
#include <dlfcn.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

// Returns a function of the loader, or NULL without a loader. After the first call the loader is in memory.
static PFN_vkVoidFunction find(const char *name) {
	void *loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
	return loader ? (PFN_vkVoidFunction)dlsym(loader, name) : NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL no_version(uint32_t *version) { return VK_ERROR_INITIALIZATION_FAILED; }

// Without a loader, ggml's first call fails, and ggml uses the CPU.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name) {
	PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)find("vkGetInstanceProcAddr");
	if (get) return get(instance, name);
	return strcmp(name, "vkEnumerateInstanceVersion") ? NULL : (PFN_vkVoidFunction)no_version;
}

// ggml has a device only if there is a loader.
VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *features) {
	((PFN_vkGetPhysicalDeviceFeatures2)find("vkGetPhysicalDeviceFeatures2"))(device, features);
}

VKAPI_ATTR void VKAPI_CALL vkCmdCopyBuffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t n, const VkBufferCopy *regions) {
	((PFN_vkCmdCopyBuffer)find("vkCmdCopyBuffer"))(commands, from, to, n, regions);
}
