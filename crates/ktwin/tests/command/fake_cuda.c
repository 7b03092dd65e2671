// A driver of CUDA without a card, for machines that have none: its memory is the host's, and of all kernels it knows
// one, `scale`, which it computes itself. FAKE_CUDA says what else it does.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int over;

static int is(const char *what)
{
    const char *asked = getenv("FAKE_CUDA");
    return asked && !strcmp(asked, what);
}

int cuInit(unsigned flags) { return is("none") ? 100 : (int)flags; }
int cuDriverGetVersion(int *to) { return *to = 12090, 0; }
int cuDeviceGetCount(int *to) { return *to = 1, 0; }
int cuDeviceGet(int *to, int number) { return *to = number, 0; }
int cuDeviceGetName(char *to, int length, int device) { return strncpy(to, "Fake", length), device; }
int cuDeviceGetAttribute(int *to, int what, int device)
{
    *to = what == 75 ? 9 : what == 76 ? 0 : what == 38 ? 1 << 16 : what == 97 ? 232448 : 4;
    return device;
}
int cuDeviceTotalMem_v2(size_t *to, int device) { return *to = 1ul << 30, device; }
int cuDevicePrimaryCtxRetain(void **to, int device) { return *to = &over, device; }
int cuCtxSetCurrent(void *context) { return context != &over; }
int cuCtxSynchronize(void) { return over; }
int cuModuleLoadDataEx(void **to, const char *text, unsigned count, const int *options, void **values)
{
    const char *log = "ptxas application ptx input, line 7; error   : Unknown symbol 'q'";
    if (is("refuse")) {
        strcpy(values[options[0] == 5 ? 0 : 1], log);
        return 218;
    }
    *to = strstr(text, "nothing") ? (void *)2 : (void *)1;
    return count != 2;
}
static float factor;
int cuModuleGetGlobal_v2(uint64_t *to, size_t *size, void *module, const char *name)
{
    *to = (uint64_t)&factor, *size = sizeof factor;
    return module != (void *)1 || strcmp(name, "_ZL6factor") ? 500 : 0;
}
int cuModuleGetFunctionCount(unsigned *to, void *module) { return *to = 1, module == 0; }
int cuModuleEnumerateFunctions(void **to, unsigned count, void *module) { return *to = module, count != 1; }
int cuFuncGetName(const char **to, void *function) { return *to = function == (void *)1 ? "scale" : "nothing", 0; }
static int loaded;
int cuFuncLoad(void *function) { return loaded |= 1 << (long)function, 0; }
int cuFuncGetAttribute(int *to, int what, void *function)
{
    return *to = what ? 0 : 1024, loaded >> (long)function & 1 ? 0 : 913;
}
int cuFuncSetAttribute(void *function, int what, int value) { return what != 8 || value <= 0 || !function; }
int cuFuncGetParamInfo(void *function, size_t at, size_t *offset, size_t *size)
{
    static const size_t sizes[] = { 8, 8, 4, 4 };
    if (function != (void *)1 || at >= 4) return 1;
    *offset = 8 * at, *size = sizes[at];
    return 0;
}
int cuMemAlloc_v2(uint64_t *to, size_t length)
{
    *to = (uint64_t)aligned_alloc(256, (length + 255) / 256 * 256);
    return over ? over : *to ? 0 : 2;
}
int cuMemFree_v2(uint64_t place) { return free((void *)place), 0; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t length) { return memcpy((void *)to, from, length), over; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t length) { return memcpy(to, (void *)from, length), over; }
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t length)
{
    return memcpy((void *)to, (void *)from, length), over;
}
int cuMemsetD8_v2(uint64_t to, uint8_t byte, size_t length) { return memset((void *)to, byte, length), over; }
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra)
{
    if (function != (void *)1 || over) return over;
    const float *x = *(float **)parameters[0];
    float *y = *(float **)parameters[1];
    uint32_t n = *(uint32_t *)parameters[2], lanes = gx * bx;
    float alpha = is("variable") ? factor : *(float *)parameters[3];
    if ((uint64_t)x % 256 || (uint64_t)y % 256 || gy * gz * by * bz != 1 || shared || stream || extra) return 1;
    for (uint32_t i = 0; i < n + is("past") && i < lanes; i++) y[i] = alpha * x[i] + (is("wrong") && i == 70);
    if (is("fault") && n > 70) over = 700;
    return 0;
}
int cuLaunchCooperativeKernel(void) { return 801; }
int cuEventCreate(void **to, unsigned flags) { return *to = malloc(8), (int)flags; }
int cuEventRecord(uint64_t *event, void *stream)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *event = now.tv_sec * 1000000000ul + now.tv_nsec;
    return stream ? 1 : over;
}
int cuEventElapsedTime(float *to, uint64_t *first, uint64_t *last)
{
    *to = (*last - *first) * (is("slow clock") ? 1e-7f : 1e-6f);
    return over;
}
int cuGetErrorName(int status, const char **to) { return *to = status == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "?", 0; }
int cuGetErrorString(int status, const char **to) { return *to = status == 700 ? "an illegal access" : "?", 0; }
