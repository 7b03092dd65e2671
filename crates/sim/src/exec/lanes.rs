//! Registers: rows of 32 lanes in contiguous memory, and values that all lanes share.

/// Lanes of a row. A warp takes one row or two; narrower warps share one.
pub const ROW: usize = 32;

/// One register of one row of lanes, on a border of cache lines: the widest vector registers are as wide as
/// one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Row<T>(pub [T; ROW]);

impl<T: Copy + Default> Default for Row<T> {
    #[inline(always)]
    fn default() -> Row<T> {
        Row([T::default(); ROW])
    }
}

impl<T> std::ops::Deref for Row<T> {
    type Target = [T; ROW];
    #[inline(always)]
    fn deref(&self) -> &[T; ROW] {
        &self.0
    }
}

impl<T> std::ops::DerefMut for Row<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T; ROW] {
        &mut self.0
    }
}

/// Bits as they lie in registers: 32 or 64.
pub trait Raw: Copy + Default + PartialEq + 'static {
    fn rows(regs: &Regs) -> &[Row<Self>];
    fn rows_mut(regs: &mut Regs) -> &mut [Row<Self>];
    fn ones(regs: &Regs) -> &[Self];
    fn ones_mut(regs: &mut Regs) -> &mut [Self];
    fn to_u64(self) -> u64;
    fn from_u64(bits: u64) -> Self;
}

/// The registers of the lanes that go together.
#[derive(Clone, Debug, Default)]
pub struct Regs {
    pub rows32: Vec<Row<u32>>,
    pub rows64: Vec<Row<u64>>,
    pub ones32: Vec<u32>,
    pub ones64: Vec<u64>,
    /// Marks beside the rows, 32 bits first, and beside the shared values; empty where none are carried.
    pub marks: Vec<Row<u64>>,
    pub one_marks: Vec<u64>,
}

impl Raw for u32 {
    #[inline(always)]
    fn rows(regs: &Regs) -> &[Row<u32>] {
        &regs.rows32
    }
    #[inline(always)]
    fn rows_mut(regs: &mut Regs) -> &mut [Row<u32>] {
        &mut regs.rows32
    }
    #[inline(always)]
    fn ones(regs: &Regs) -> &[u32] {
        &regs.ones32
    }
    #[inline(always)]
    fn ones_mut(regs: &mut Regs) -> &mut [u32] {
        &mut regs.ones32
    }
    #[inline(always)]
    fn to_u64(self) -> u64 {
        u64::from(self)
    }
    #[inline(always)]
    fn from_u64(bits: u64) -> u32 {
        bits as u32
    }
}

impl Raw for u64 {
    #[inline(always)]
    fn rows(regs: &Regs) -> &[Row<u64>] {
        &regs.rows64
    }
    #[inline(always)]
    fn rows_mut(regs: &mut Regs) -> &mut [Row<u64>] {
        &mut regs.rows64
    }
    #[inline(always)]
    fn ones(regs: &Regs) -> &[u64] {
        &regs.ones64
    }
    #[inline(always)]
    fn ones_mut(regs: &mut Regs) -> &mut [u64] {
        &mut regs.ones64
    }
    #[inline(always)]
    fn to_u64(self) -> u64 {
        self
    }
    #[inline(always)]
    fn from_u64(bits: u64) -> u64 {
        bits
    }
}
