fn f0() -> u32 {
    return 1u;
}
fn f1() -> u32 {
    return f0() + f0();
}
fn f2() -> u32 {
    return f1() + f1();
}
fn f3() -> u32 {
    return f2() + f2();
}
fn f4() -> u32 {
    return f3() + f3();
}
fn f5() -> u32 {
    return f4() + f4();
}
fn f6() -> u32 {
    return f5() + f5();
}
fn f7() -> u32 {
    return f6() + f6();
}
fn f8() -> u32 {
    return f7() + f7();
}
fn f9() -> u32 {
    return f8() + f8();
}
fn f10() -> u32 {
    return f9() + f9();
}
fn f11() -> u32 {
    return f10() + f10();
}
fn f12() -> u32 {
    return f11() + f11();
}
fn f13() -> u32 {
    return f12() + f12();
}
fn f14() -> u32 {
    return f13() + f13();
}
fn f15() -> u32 {
    return f14() + f14();
}
fn f16() -> u32 {
    return f15() + f15();
}
fn f17() -> u32 {
    return f16() + f16();
}
fn f18() -> u32 {
    return f17() + f17();
}
fn f19() -> u32 {
    return f18() + f18();
}
fn f20() -> u32 {
    return f19() + f19();
}
fn f21() -> u32 {
    return f20() + f20();
}
fn f22() -> u32 {
    return f21() + f21();
}
fn f23() -> u32 {
    return f22() + f22();
}
fn f24() -> u32 {
    return f23() + f23();
}
fn f25() -> u32 {
    return f24() + f24();
}
fn f26() -> u32 {
    return f25() + f25();
}
fn f27() -> u32 {
    return f26() + f26();
}
fn f28() -> u32 {
    return f27() + f27();
}
fn f29() -> u32 {
    return f28() + f28();
}
fn f30() -> u32 {
    return f29() + f29();
}
fn f31() -> u32 {
    return f30() + f30();
}
fn f32() -> u32 {
    return f31() + f31();
}
fn f33() -> u32 {
    return f32() + f32();
}
fn f34() -> u32 {
    return f33() + f33();
}
fn f35() -> u32 {
    return f34() + f34();
}
fn f36() -> u32 {
    return f35() + f35();
}
fn f37() -> u32 {
    return f36() + f36();
}
fn f38() -> u32 {
    return f37() + f37();
}
fn f39() -> u32 {
    return f38() + f38();
}
@group(0) @binding(0) var<storage, read_write> r: array<u32>;
@compute @workgroup_size(1)
fn main() {
    r[0] = f39();
}
