//! CUDA C++ through NVRTC: what compiles, what is left out, what its errors say. Without NVRTC these tests pass and say
//! that they left it out, unless `KTWIN_REQUIRE` names it.

use ktwin_check::{Build, Failure, SourceKind};
use ktwin_devices::Limits;

mod common;
use common::{device, source};

fn here() -> bool {
    let found = ktwin_devices::compiler("nvrtc");
    let required = std::env::var("KTWIN_REQUIRE").is_ok_and(|r| r.split(',').any(|d| d == "nvrtc"));
    if let Err(missing) = &found {
        assert!(!required, "{missing}");
        eprintln!("skipped: {missing}");
    }
    found.is_ok()
}

fn build(entry: &str) -> Build {
    Build { entries: vec![(entry.to_owned(), Vec::new())], ..Build::default() }
}

/// What compiling says, or nothing where it works.
fn said(text: &str, build: &Build) -> Option<Failure> {
    device("sim", Limits::default()).compile(&source(SourceKind::Cuda, text), build).err()
}

#[test]
fn files_with_host_code_compile() {
    if !here() {
        return;
    }
    let text = r#"
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define CHECK(call) \
    do { cudaError_t e = (call); if (e) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)
const int LANES = 256;
struct Timer { cudaEvent_t begin, end; };
__device__ float square(float v) { return v * v; }
__global__ void k(const float *x, float *y, int n) {
    int i = blockIdx.x * LANES + threadIdx.x;
    if (i < n) y[i] = square(x[i]);
}
static void reference(const std::vector<float> &x, std::vector<float> &y) { for (auto &v : x) y.push_back(v * v); }
int main() {
    float *x; CHECK(cudaMalloc(&x, 4)); k<<<1, LANES>>>(x, x, 1); CHECK(cudaDeviceSynchronize()); printf("done\n");
}
"#;
    for entry in ["", "k"] {
        assert_eq!(said(text, &build(entry)), None);
    }
}

#[test]
fn templates_are_named_as_in_cpp() {
    if !here() {
        return;
    }
    let text = "namespace n { template <class T, int N> __global__ void k(T *x) { x[threadIdx.x] = N; } }";
    assert_eq!(said(text, &build("n::k<float, 16>")), None);
    let wrong = said(text, &build("n::kk<float, 16>"));
    assert!(matches!(&wrong, Some(Failure::Mismatch(m)) if m.contains("`k`")), "{wrong:?}");
}

#[test]
fn errors_are_nvrtcs_with_the_line_of_the_file() {
    if !here() {
        return;
    }
    let text =
        "#include <stdio.h>\nint main() { return 0; }\n__global__ void k(float *x) {\n  x[0] = y;\n}\n";
    let Some(Failure::Compile { message, line }) = said(text, &build("")) else { panic!("it compiles") };
    assert_eq!(line, Some(4));
    assert!(message.contains("kernel.x(4): error: identifier \"y\" is undefined"), "{message}");
}

#[test]
fn constants_and_architectures_reach_the_compiler() {
    if !here() {
        return;
    }
    let text = "#if __CUDA_ARCH__ != 900 || N != 3\n#error not so\n#endif\n__global__ void k(float *x) { x[0] = N; }";
    assert!(matches!(said(text, &build("k")), Some(Failure::Compile { .. })));
    let defines = vec![("N".to_owned(), ktwin_check::Constant::Number(ktwin_check::Number::Int(3)))];
    let all = Build { defines, arch: Some("sm_90".into()), fast_math: true, ..build("k") };
    assert_eq!(said(text, &all), None);
    let odd = said(text, &Build { arch: Some("sm_10".into()), ..all });
    assert!(matches!(&odd, Some(Failure::Compile { message, .. }) if message.contains("arch")), "{odd:?}");
}

#[test]
fn the_toolkits_headers_are_found() {
    if !here() {
        return;
    }
    let text = "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <limits>\n#include <mma.h>\n\
                #include <cuda_bf16.h>\n#include <cuda_fp8.h>\n#include <cooperative_groups.h>\n\
                #include <cub/cub.cuh>\n\
                __global__ void k(float *x, std::uint32_t n) {\n\
                  x[n] = std::max(std::sqrt(x[0]), std::numeric_limits<float>::max()) + INFINITY; }";
    assert_eq!(said(text, &build("k")), None);
}

#[test]
fn kernels_of_one_name_are_told_apart_and_concepts_are_known() {
    if !here() {
        return;
    }
    let text = "#include <concepts>\n#include \"of_the_host.h\"\n\
                template <std::floating_point T> __global__ void scale(const T *x, T *y, float by) { *y = by * *x; }\n\
                template <class T> __global__ void scale(const T *x, T *y, const T *by) { *y = *by * *x; }\n\
                #define LAUNCH(T) scale<T><<<1, 1>>>(x, y, 2.0f)\n\
                template <class T> void run(const T *x, T *y) { LAUNCH(T); }\n\
                #define INSTANTIATE(T) template void run<T>(const T *, T *)\nINSTANTIATE(float);\n";
    for parameters in ["(const float *, float *, float)", "(const float *, float *, const float *)"] {
        assert_eq!(said(text, &build(&format!("scale<float>{parameters}"))), None);
    }
    let several = said(text, &build("scale<float>")).unwrap().to_string();
    assert!(several.contains("name the parameters as well"), "{several}");
}

#[test]
fn functions_of_two_types_and_of_whole_numbers_are_those_of_cpp() {
    if !here() {
        return;
    }
    // what is ambiguous among CUDA's own overloads is double; what is not stays as it was
    let text = "template <class T> struct is_double { static constexpr bool yes = false; };\n\
                template <> struct is_double<double> { static constexpr bool yes = true; };\n\
                #define DOUBLE(x) static_assert(is_double<decltype(x)>::yes, #x)\n\
                #define FLOAT(x) static_assert(!is_double<decltype(x)>::yes && sizeof(x) == 4, #x)\n\
                __global__ void k(double *o, float a, float b, int n) {\n\
                  DOUBLE(fmax(a, 1.0)); DOUBLE(fmin(n, a)); DOUBLE(std::fmax(n, n)); DOUBLE(pow(a, 2.0));\n\
                  DOUBLE(fmod(a, 2.0)); DOUBLE(atan2(1.0, a)); DOUBLE(fma(a, 2.0, b)); DOUBLE(sqrt(n));\n\
                  DOUBLE(std::exp(n)); DOUBLE(log2(n)); DOUBLE(max(a, 1.0)); FLOAT(fmax(a, b));\n\
                  FLOAT(sqrt(a)); FLOAT(fma(a, b, a)); FLOAT(fmaxf(1, a)); FLOAT(std::pow(a, b));\n\
                  o[0] = fmax(a, 1.0) + std::fmin(b, n) + pow(2, n) + ceil(n / 2) + isnan(n) + lround(n);\n\
                }\n";
    assert_eq!(said(text, &build("k")), None);
    // without <algorithm>, as nvcc has it
    let text = "__global__ void k(float *o, float a) { o[0] = std::max(std::min(a, o[1]), 1.0f); }\n";
    assert_eq!(said(text, &build("k")), None);
    // a function of the kernel's own, even of the same shape, is the one that is meant
    let own = "template <class T> __device__ int sqrt(T x) { return 7; }\n\
               template <class T> __device__ int fmax(T a, T b) { return 7; }\n\
               __global__ void k(int *o, int n) { static_assert(sizeof(sqrt(n)) == 4 && sizeof(fmax(n, n)) == 4);\n\
               o[0] = sqrt(n) + fmax(n, n); }\n";
    assert_eq!(said(own, &build("k")), None);
}

#[test]
fn libraries_for_hosts_do_not_disturb_kernels_and_headers_that_are_missing_are_named() {
    if !here() {
        return;
    }
    let text = "#include <thrust/device_vector.h>\n#include <thrust/sort.h>\n#include <cub/device/device_reduce.cuh>\n\
                __global__ void k(float *x) { x[0] = 1; }\n\
                void host(thrust::device_vector<float> &v) { thrust::sort(v.begin(), v.end()); k<<<1, 1>>>(0); }\n";
    assert_eq!(said(text, &build("k")), None);
    let text =
        "#include <thrust/extrema.h>\n__global__ void k(float *x) { x[0] = thrust::max(x[1], x[2]); }\n";
    let told = said(text, &build("k")).unwrap().to_string();
    assert!(told.contains("line 1: <thrust/extrema.h> is a library for hosts and is left out"), "{told}");
    let told =
        said("__global__ void k(half *x, const half *y) { x[0] = __hneg(y[0]); }\n", &build("k")).unwrap();
    assert!(told.to_string().contains("cuda_fp16.h declares `half`: write #include <cuda_fp16.h>"), "{told}");
    assert_eq!(told.to_string().matches("#include").count(), 1, "{told}");
}
